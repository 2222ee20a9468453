import { keyEpochOf, recipientPkBytes } from '@memrelay/envelope/header';
import type { SealedContext } from '@memrelay/protocol/context-fields';
import type { OpenRequestHead } from '@memrelay/protocol/sidecar-api';
import type { SealedTo } from '@memrelay/protocol/single-memory';
import type { Caller } from '../../accounts/caller.ts';
import { readerOf } from '../../accounts/reader.ts';
import { createPauses } from '../../base/concurrency/pauses.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import type { Loggers } from '../../base/logging/loggers.ts';
import { isExpired } from '../../index/context-tokens.ts';
import type { KeyRewraps } from '../../keys/key-rewraps.ts';
import type { VerifiedKeys } from '../../keys/verified-keys.ts';
import type { SidecarClient } from '../../sidecar/sidecar-client.ts';
import type { Match } from '../rows/match.ts';
import { type SignerParts, trustedSigners } from './trusted-signers.ts';

/**
 * Maximum bytes in one sidecar call. A recall of many large memories takes several calls, with other requests in
 * between.
 */
const batchBytes = 4 * 1024 * 1024;

/** A memory whose envelope is to be opened. */
interface EnvelopeToOpen {
  /** `namespace` if it is not that of the call */
  match: Pick<Match, 'id' | 'envelopeId' | 'envelopeSha256'> & { namespace?: string };
}

interface PresentEnvelope {
  /** Position among the matches */
  index: number;
  match: EnvelopeToOpen['match'];
  envelope: Buffer;
}

export interface OpenParts extends SignerParts {
  sidecar: Pick<SidecarClient, 'open'>;
  keyRewraps: Pick<KeyRewraps, 'of'>;
  verifiedKeys: VerifiedKeys;
  /** Address of the server key, if one is configured */
  serverAddress: string | undefined;
  loggers: Pick<Loggers, 'memories'>;
}

/** What an envelope contains. */
export interface OpenedMemory {
  text: string;
  context: SealedContext | undefined;
  sealedTo: SealedTo;
}

/** The texts alone, as `openMemories`. */
export async function openEnvelopes(
  ...request: Parameters<typeof openMemories>
): Promise<(string | undefined)[]> {
  return (await openMemories(...request)).map((opened) => opened?.text);
}

/**
 * Returns the contents of the envelopes in order, `undefined` where one is missing, does not open or has expired. A refused credential
 * fails the whole call, even if there is nothing to open. If the key servers deny all of it, the call fails too, unless
 * `each` allows single denials. Throws `ApiError`.
 */
export async function openMemories(
  parts: OpenParts,
  caller: Caller,
  namespace: string,
  ranked: readonly EnvelopeToOpen[],
  envelopes: readonly (Buffer | undefined)[],
  each = false,
): Promise<(OpenedMemory | undefined)[]> {
  const texts = new Array<OpenedMemory | undefined>(ranked.length).fill(undefined);
  const accountId = hexToBytes(caller.account.accountId);
  const [shared, rewraps] = await Promise.all([sharedHead(parts, caller), parts.keyRewraps.of(accountId)]);
  for (const batch of batches(ranked, envelopes)) {
    const { items, payload } = await parts.sidecar.open(
      {
        ...shared,
        items: batch.map(({ match, envelope }) => ({
          length: envelope.length,
          namespace: match.namespace ?? namespace,
          sha256: match.envelopeSha256.toString('hex'),
          ...(match.envelopeId ? { envelope_id: match.envelopeId.toString('hex') } : {}),
        })),
        ...rewrapsFor(batch, rewraps),
        ...(each ? { each } : {}),
      },
      batch.map(({ envelope }) => envelope),
      caller.credentials,
    );
    const decoder = new TextDecoder();
    const pause = createPauses();
    const opened: Buffer[] = [];
    let offset = 0;
    for (const [i, item] of items.entries()) {
      const { index, match, envelope } = batch[i]!;
      if (item.ok) {
        await pause();
        opened.push(envelope);
        const text = decoder.decode(payload.subarray(offset, offset + item.text_length));
        const sealedTo = {
          key_epoch: Number(keyEpochOf(envelope)),
          recipient_pk: recipientOf(envelope),
        };
        texts[index] = isExpired(item.context) ? undefined : { text, context: item.context, sealedTo };
        offset += item.text_length;
      } else {
        parts.loggers.memories.warn(
          {
            account_id: caller.account.accountId,
            memory_id: match.id,
            failure: item.failure,
            reason: item.reason,
          },
          'a memory could not be opened',
        );
      }
    }
    // Envelopes opened by a later wrap are left out: their own wraps were not verified
    parts.verifiedKeys.mark(
      accountId,
      opened.filter((envelope) => !rewraps.has(recipientOf(envelope))),
    );
  }
  return texts;
}

/** The later wraps of the keys in a batch, for the few accounts that have any. */
function rewrapsFor(
  batch: readonly PresentEnvelope[],
  rewraps: ReadonlyMap<string, Buffer>,
): Pick<OpenRequestHead, 'rewraps'> {
  if (rewraps.size === 0) return {};
  const names = new Set(batch.map(({ envelope }) => recipientOf(envelope)));
  const found = [...names].flatMap((name) => {
    const wrap = rewraps.get(name);
    return wrap ? [{ recipient_pk: name, wrap: wrap.toString('base64') }] : [];
  });
  return { rewraps: found };
}

function recipientOf(envelope: Buffer): string {
  return Buffer.from(recipientPkBytes(envelope)).toString('hex');
}

/** The part of the request that all batches share: the reader and the trusted signers. */
async function sharedHead(parts: OpenParts, caller: Caller): Promise<Omit<OpenRequestHead, 'items'>> {
  return {
    ...readerOf(caller, parts.serverAddress),
    trusted_signers: await trustedSigners(parts, caller.account),
  };
}

/** At least one batch, which may be empty. */
function batches(
  ranked: readonly EnvelopeToOpen[],
  envelopes: readonly (Buffer | undefined)[],
): PresentEnvelope[][] {
  const result: PresentEnvelope[][] = [[]];
  let size = 0;
  for (const [index, { match }] of ranked.entries()) {
    const envelope = envelopes[index];
    if (!envelope) continue;
    if (size > 0 && size + envelope.length > batchBytes) {
      result.push([]);
      size = 0;
    }
    result.at(-1)!.push({ index, match, envelope });
    size += envelope.length;
  }
  return result;
}
