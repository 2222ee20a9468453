import { createHash } from 'node:crypto';
import { ChainUnavailableError, chainError } from '@memrelay/chain/chain-errors';
import { canonicalAddressPattern, normalizeAddress } from '@memrelay/protocol/address';
import { sessionMessage, sessionTtlMinutes } from '@memrelay/protocol/enc-session';
import { ApiError } from '@memrelay/protocol/errors';
import type { ExportedSessionKey } from '@mysten/seal';
import type { ClientWithCoreApi } from '@mysten/sui/client';
import { decodeSuiPrivateKey } from '@mysten/sui/cryptography';
import { RpcError } from '@mysten/sui/grpc';
import { verifyPersonalMessageSignature } from '@mysten/sui/verify';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { rawPublicKey } from '../base/raw-public-key.ts';
import { DecryptSession, refuse } from './decrypt-session.ts';

/** A caller's clock may run ahead of ours by this much. */
const maxClockAheadMs = 60_000;
const maxHeaderLength = 16_384;
const maxVerified = 2000;

const address = z
  .string()
  .transform((value) => normalizeAddress(value))
  .refine((value) => canonicalAddressPattern.test(value));

const sessionFields = z.object({
  address,
  packageId: address,
  mvrName: z.string().max(200).nullish(),
  creationTimeMs: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  ttlMin: z.number().int(),
  personalMessageSignature: z.string(),
  sessionKey: z.string(),
});
type SessionFields = z.output<typeof sessionFields>;

/** The addresses whose session a request may use. */
export interface SessionHolders {
  /** Address of the request's public key */
  readonly signerAddress: string;
  readonly ownerAddress: string;
}

export interface SessionReader {
  /**
   * The session in an `x-enc-session` header (decisions.md, "Authentication"; security.md, "Requests and
   * sessions"). Throws `decrypt_denied` with the first reason that applies, or `decrypt_unavailable` if the chain is needed to
   * verify a signature but is unreachable.
   */
  fromHeader(header: string, holders: SessionHolders): Promise<DecryptSession>;
}

/**
 * Parses sessions and caches verified signatures by SHA-256 of the header. `client` is needed only for signatures that
 * cannot be verified offline (zkLogin); without it those are rejected.
 */
export function createSessionReader(options: {
  packageId: string;
  client?: ClientWithCoreApi;
  now?: () => number;
}): SessionReader {
  const { client, now = Date.now } = options;
  const packageId = normalizeAddress(options.packageId);
  const verified = new LRUCache<string, DecryptSession>({ max: maxVerified });

  return {
    async fromHeader(header, { signerAddress, ownerAddress }) {
      const fields = parseHeader(header);
      const holders = [signerAddress, ownerAddress].map((holder) => normalizeAddress(holder));
      if (fields.packageId !== packageId) throw refuse('wrong_package');
      if (!holders.includes(fields.address)) throw refuse('wrong_address');
      const { min, max } = sessionTtlMinutes;
      if (fields.ttlMin < min || fields.ttlMin > max) throw refuse('bad_ttl');
      if (fields.creationTimeMs > now() + maxClockAheadMs) throw refuse('not_yet_valid');

      const key = createHash('sha256').update(header).digest('hex');
      const session = verified.get(key) ?? new DecryptSession(exportable(fields), header);
      if (session.expiresAtMs <= now()) throw refuse('expired');
      if (!verified.has(key)) {
        await verifySignature(fields, client);
        verified.set(key, session);
      }
      return session;
    },
  };
}

function parseHeader(header: string): SessionFields {
  try {
    if (header.length <= maxHeaderLength && /^[A-Za-z0-9+/]+={0,2}$/.test(header)) {
      return sessionFields.parse(JSON.parse(Buffer.from(header, 'base64').toString('utf8')));
    }
  } catch {
    // falls through: the cause may quote the credential
  }
  throw refuse('malformed');
}

function exportable(fields: SessionFields): ExportedSessionKey {
  const { mvrName, ...rest } = fields;
  return mvrName ? { ...rest, mvrName } : rest;
}

/** Verifies the wallet's signature over the text that names this session key. Seal's import does not do that. */
async function verifySignature(fields: SessionFields, client: ClientWithCoreApi | undefined): Promise<void> {
  const message = sessionMessage({
    packageId: fields.mvrName || fields.packageId,
    ttlMin: fields.ttlMin,
    creationTimeMs: fields.creationTimeMs,
    sessionPublicKey: sessionPublicKey(fields.sessionKey),
  });
  try {
    await verifyPersonalMessageSignature(new TextEncoder().encode(message), fields.personalMessageSignature, {
      address: fields.address,
      ...(client ? { client } : {}),
    });
  } catch (error) {
    // Only zkLogin needs the chain. An unreachable chain says nothing about the signature.
    const isUnreachable = error instanceof RpcError && chainError(error) instanceof ChainUnavailableError;
    throw isUnreachable ? new ApiError('decrypt_unavailable') : refuse('bad_signature');
  }
}

function sessionPublicKey(sessionKey: string): string {
  try {
    const { scheme, secretKey } = decodeSuiPrivateKey(sessionKey);
    if (scheme === 'ED25519') return Buffer.from(rawPublicKey('ed25519', secretKey)).toString('base64');
  } catch {
    // falls through: the cause may quote the key
  }
  throw refuse('malformed');
}
