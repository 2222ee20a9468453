import { createHash } from 'node:crypto';
import { EnvelopeError } from '@memrelay/envelope/envelope-error';
import { type EnvelopeHeader, envelopeKind } from '@memrelay/envelope/header';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { checkHeader } from '@memrelay/envelope/open-envelope';
import { wrapType } from '@memrelay/envelope/wraps';
import type { ExportedKey, ExportRequest, ExportResponse } from '@memrelay/protocol/bundles';
import { ApiError } from '@memrelay/protocol/errors';
import type { Caller } from '../../accounts/caller.ts';
import { requireDecryptCredential } from '../../accounts/decrypt-credential.ts';
import { readerOf } from '../../accounts/reader.ts';
import { requireFreshAccount } from '../../accounts/require-permission.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import type { RelayerContext } from '../../context.ts';
import { readBareVectors } from '../../index/bare-vectors.ts';
import type { ListedMemory } from '../reading/memory-pages.ts';
import { readEnvelopes } from '../reading/read-envelopes.ts';
import { readablePage } from '../reading/readable-page.ts';
import { trustedSigners } from '../reading/trusted-signers.ts';

/** Of envelopes and vectors on one page; a single memory may be more. */
export const exportPageBytes = 4 * 1024 * 1024;

/** About the length of a piece that is embedded by itself: what a memory's vectors take is guessed by it. */
const bytesPerVector = 4_000;

interface Readable {
  memory: ListedMemory;
  envelope: Buffer;
  header: EnvelopeHeader;
}

/**
 * One page of what a bundle is made from: envelopes with their vectors, and the private halves of the keys that they are
 * sealed to, each sealed to the caller's own key. What cannot be read is told and keeps nothing else back. Throws `ApiError`.
 */
export async function exportPage(
  context: RelayerContext,
  caller: Caller,
  { recipient_pk, ...request }: ExportRequest,
): Promise<ExportResponse> {
  requireFreshAccount(caller);
  requireDecryptCredential(context, caller);
  requireUsable(recipient_pk);
  const { account } = caller;
  const accountId = hexToBytes(account.accountId);
  const found = await readablePage(context, caller, request);
  const page = withinBytes(found.memories, context.embedder.dimension);
  const ids = page.map(({ id }) => id);
  const [envelopes, vectors, trusted_writers] = await Promise.all([
    readEnvelopes(context, accountId, page),
    readBareVectors(context.db, context.vectors.mapOf(accountId), accountId, ids, context.embedder.model),
    trustedSigners(context, account),
  ]);
  const failed: ExportResponse['failed'] = [];
  const fail = ({ id, blobId }: ListedMemory, reason: string): void =>
    void failed.push({ id, ...(blobId === undefined ? {} : { blob_id: blobId }), reason });
  const readable = page.flatMap((memory, i): Readable[] => {
    const envelope = envelopes[i];
    try {
      if (envelope)
        return [{ memory, envelope, header: headerOf(context, caller, memory.namespace, envelope) }];
      fail(memory, 'unreadable');
    } catch (error) {
      if (!(error instanceof EnvelopeError)) throw error;
      fail(memory, error.reason);
    }
    return [];
  });
  const keys = await sealedKeys(context, caller, readable, recipient_pk);
  const memories = readable.flatMap(({ memory, envelope, header }): ExportResponse['memories'] => {
    const key = keys.get(nameOf(header))!;
    if ('reason' in key) {
      fail(memory, key.reason);
      return [];
    }
    const { id, namespace, createdAt, importance } = memory;
    const bare = vectors.get(id);
    return [
      {
        id,
        namespace,
        created_at: createdAt.toISOString(),
        importance,
        envelope: envelope.toString('base64'),
        ...(bare ? { vectors: bare } : {}),
      },
    ];
  });
  const more = found.more || page.length < found.memories.length;
  const opened = [...keys.values()].filter((key) => 'sealed' in key);
  return {
    memories,
    keys: [...new Map(opened.map((key) => [key.recipient_pk, key])).values()],
    failed,
    trusted_writers,
    ...(more ? { next_cursor: found.cursorAfter(page.at(-1)!) } : {}),
  };
}

/** Throws `invalid_request` for a key of small order: what is sealed to it, anybody opens. */
function requireUsable(recipientPk: string): void {
  if (nodePrimitives.x25519SharedSecret(nodePrimitives.randomBytes(32), hexToBytes(recipientPk))) return;
  throw new ApiError('invalid_request', {
    details: { issues: [{ path: 'recipient_pk', message: 'is of small order' }] },
  });
}

/** The first of them, as many as fit; one at least. */
function withinBytes(memories: readonly ListedMemory[], dimension: number): ListedMemory[] {
  let left = exportPageBytes;
  const end = memories.findIndex(({ size }, i) => {
    left -= size + Math.ceil(size / bytesPerVector) * dimension * 4;
    return left < 0 && i > 0;
  });
  return memories.slice(0, end < 0 ? memories.length : end);
}

/** Throws `EnvelopeError`; what a client registered in another format has no header and no key. */
function headerOf(
  context: RelayerContext,
  { account }: Caller,
  namespace: string,
  envelope: Buffer,
): EnvelopeHeader {
  const { header } = checkHeader(envelope, {
    origin: hexToBytes(account.origin),
    tag: context.tagOf(account.origin, namespace),
    maxEpoch: BigInt(account.keyEpoch),
  });
  if (header.kind !== envelopeKind.memory) throw new EnvelopeError('unsupported_envelope', 'not a memory');
  return header;
}

/** Different for any two keys that may open differently: a broken wrap beside a good one must not fail the good one. */
function nameOf({ identity, recipientPk, wraps }: EnvelopeHeader): string {
  const digest = createHash('sha256').update(identity).update(recipientPk);
  for (const { type, bytes } of wraps) digest.update(`${type}/${bytes.length}/`).update(bytes);
  return digest.digest('base64');
}

/** By `nameOf`: the key, sealed to the caller's own, or why it cannot be had. Throws `decrypt_unavailable`. */
async function sealedKeys(
  context: RelayerContext,
  caller: Caller,
  readable: readonly Readable[],
  to: string,
): Promise<Map<string, ExportedKey | { reason: string }>> {
  const rewraps = await context.keyRewraps.of(hexToBytes(caller.account.accountId));
  const headers = [...new Map(readable.map(({ header }) => [nameOf(header), header]))];
  const { keys } = await context.sidecar.exportKeys(
    {
      ...readerOf(caller, context.serverAddress),
      to,
      keys: headers.map(([, { tag, keyEpoch, recipientPk, wraps }]) => {
        const recipient_pk = Buffer.from(recipientPk).toString('hex');
        const later = rewraps.get(recipient_pk);
        const all = [...(later ? [{ type: wrapType.seal, bytes: later }] : []), ...wraps];
        return {
          tag: Buffer.from(tag).toString('hex'),
          key_epoch: Number(keyEpoch),
          recipient_pk,
          wraps: all.map(({ type, bytes }) => ({ type, bytes: Buffer.from(bytes).toString('base64') })),
        };
      }),
    },
    caller.credentials,
  );
  // A bundle that lacks what will be there in a minute is a bad backup
  if (keys.some((key) => !key.ok && key.failure === 'unavailable')) throw new ApiError('decrypt_unavailable');
  const results = new Map<string, ExportedKey | { reason: string }>();
  for (const [i, [name, { recipientPk }]] of headers.entries()) {
    const key = keys[i]!;
    if (key.ok)
      results.set(name, { recipient_pk: Buffer.from(recipientPk).toString('hex'), sealed: key.sealed });
    else results.set(name, { reason: key.failure === 'denied' ? 'denied' : key.reason });
  }
  return results;
}
