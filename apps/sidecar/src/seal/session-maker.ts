import { parsePrivateKey } from '@memrelay/chain/key-file';
import { normalizeAddress } from '@memrelay/protocol/address';
import { type SealCompatibleClient, SessionKey } from '@mysten/seal';
import type { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { LRUCache } from 'lru-cache';
import { DecryptSession, refuse } from './decrypt-session.ts';

/** Short enough to limit what stolen process memory can fetch, long enough for reuse. */
const ttlMin = 10;
/** A session is replaced one minute before it expires, so that a long recall does not outlive it. */
const reuseMs = (ttlMin - 1) * 60_000;
const maxSessions = 2000;

export interface SessionMaker {
  /**
   * A session signed with a private key: `x-delegate-key` or the server's own. If `requestPublicKey` (hex) is set, the key
   * must be its private key. Throws `decrypt_denied`.
   */
  fromPrivateKey(privateKey: string, requestPublicKey?: string): Promise<DecryptSession>;
}

/** Creates sessions for `packageId` and reuses each until shortly before it expires. */
export function createSessionMaker(options: { packageId: string; now?: () => number }): SessionMaker {
  const { now = Date.now } = options;
  const packageId = normalizeAddress(options.packageId);
  const sessions = new LRUCache<string, { session: Promise<DecryptSession>; madeAtMs: number }>({
    max: maxSessions,
  });

  return {
    async fromPrivateKey(privateKey, requestPublicKey) {
      const signer = signerOf(privateKey);
      const publicKey = Buffer.from(signer.getPublicKey().toRawBytes()).toString('hex');
      if (requestPublicKey !== undefined && requestPublicKey.toLowerCase() !== publicKey) {
        throw refuse('wrong_key');
      }
      const known = sessions.get(publicKey);
      // A session from the future is unusable as well: the clock was wrong when it was created, and key servers refuse it
      if (known && Math.abs(now() - known.madeAtMs) < reuseMs) return known.session;
      const session = makeSession(signer, packageId);
      sessions.set(publicKey, { session, madeAtMs: now() });
      return session;
    },
  };
}

/** Throws `decrypt_denied` if this is not a key. */
function signerOf(privateKey: string): Ed25519Keypair {
  try {
    return parsePrivateKey(privateKey);
  } catch {
    throw refuse('malformed');
  }
}

async function makeSession(signer: Ed25519Keypair, packageId: string): Promise<DecryptSession> {
  const sessionKey = await SessionKey.create({
    address: signer.toSuiAddress(),
    packageId,
    ttlMin,
    signer,
    suiClient: firstVersionClient,
  });
  // Creates the signature, which the export includes only afterwards.
  await sessionKey.getCertificate();
  const exported = sessionKey.export();
  return new DecryptSession(exported, exported.sessionKey);
}

/** The package's version was checked when the key servers were read (`readServerSnapshot`). */
const firstVersionClient = {
  core: { getObject: async () => ({ object: { version: '1' } }) },
} as unknown as SealCompatibleClient;
