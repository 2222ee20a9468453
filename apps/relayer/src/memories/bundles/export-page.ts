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
import type { AuditLog } from '../../audit/audit-log.ts';
import type { Db } from '../../base/db/db.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import { readBareVectors } from '../../index/bare-vectors.ts';
import type { AccountVectors } from '../../index/embedding/account-vectors.ts';
import type { Embedder } from '../../index/embedding/embedder.ts';
import type { KeyRewraps } from '../../keys/key-rewraps.ts';
import type { SidecarClient } from '../../sidecar/sidecar-client.ts';
import { type EnvelopeSources, readEnvelopes } from '../reading/read-envelopes.ts';
import { type PageParts, readablePage } from '../reading/readable-page.ts';
import type { NamespaceTags } from '../reading/scope-namespaces.ts';
import { type SignerParts, trustedSigners } from '../reading/trusted-signers.ts';
import type { ListedMemory } from '../rows/page-rows.ts';

/** Envelopes and vectors on one page; a single memory may be larger. */
export const exportPageBytes = 4 * 1024 * 1024;

/** Approximate length of a separately embedded chunk, for estimating the size of a memory's vectors. */
const bytesPerVector = 4_000;

interface Readable {
  memory: ListedMemory;
  envelope: Buffer;
  header: EnvelopeHeader;
}

export interface ExportParts extends PageParts, EnvelopeSources, SignerParts {
  db: Db;
  audit: Pick<AuditLog, 'append'>;
  embedder: Pick<Embedder, 'model' | 'dimension'>;
  keyRewraps: Pick<KeyRewraps, 'of'>;
  /** Address of the server key, if one is configured */
  serverAddress: string | undefined;
  sidecar: Pick<SidecarClient, 'exportKeys'>;
  vectors: AccountVectors;
}

/**
 * Returns one page of a bundle: envelopes with their vectors, and the private halves of the keys that they are sealed
 * to, each sealed to the caller's own key. Unreadable memories are reported and do not affect the others. Throws
 * `ApiError`.
 */
export async function exportPage(
  parts: ExportParts,
  caller: Caller,
  { recipient_pk, ...request }: ExportRequest,
): Promise<ExportResponse> {
  requireFreshAccount(caller);
  requireDecryptCredential(parts, caller);
  requireUsable(recipient_pk);
  const { account } = caller;
  const accountId = hexToBytes(account.accountId);
  const found = await readablePage(parts, caller, request);
  const page = withinBytes(found.memories, parts.embedder.dimension);
  const ids = page.map(({ id }) => id);
  const [envelopes, vectors, trusted_writers] = await Promise.all([
    readEnvelopes(parts, accountId, page),
    readBareVectors(parts.db, parts.vectors.mapOf(accountId), accountId, ids, parts.embedder.model),
    trustedSigners(parts, account),
  ]);
  const failed: ExportResponse['failed'] = [];
  const fail = ({ id, blobId }: ListedMemory, reason: string): void =>
    void failed.push({ id, ...(blobId === undefined ? {} : { blob_id: blobId }), reason });
  const readable = page.flatMap((memory, i): Readable[] => {
    const envelope = envelopes[i];
    try {
      if (envelope)
        return [{ memory, envelope, header: headerOf(parts, caller, memory.namespace, envelope) }];
      fail(memory, 'unreadable');
    } catch (error) {
      if (!(error instanceof EnvelopeError)) throw error;
      fail(memory, error.reason);
    }
    return [];
  });
  const keys = await sealedKeys(parts, caller, readable, recipient_pk);
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
  // Before the response: nothing leaves unrecorded
  if (memories.length > 0)
    await parts.db.transaction((tx) =>
      parts.audit.append(tx, accountId, {
        action: 'memories.exported',
        actor: caller.publicKey,
        detail: {
          count: memories.length,
          tags: [...new Set(readable.map(({ header }) => Buffer.from(header.tag).toString('hex')))],
          ...(request.cursor === undefined ? {} : { continued: true }),
        },
      }),
    );
  return {
    memories,
    keys: [...new Map(opened.map((key) => [key.recipient_pk, key])).values()],
    failed,
    trusted_writers,
    ...(more ? { next_cursor: found.cursorAfter(page.at(-1)!) } : {}),
  };
}

/** Throws `invalid_request` for a key of small order: anyone can open what is sealed to it. */
function requireUsable(recipientPk: string): void {
  if (nodePrimitives.x25519SharedSecret(nodePrimitives.randomBytes(32), hexToBytes(recipientPk))) return;
  throw new ApiError('invalid_request', {
    details: { issues: [{ path: 'recipient_pk', message: 'is of small order' }] },
  });
}

/** The first memories that fit; at least one. */
function withinBytes(memories: readonly ListedMemory[], dimension: number): ListedMemory[] {
  let left = exportPageBytes;
  const end = memories.findIndex(({ size }, i) => {
    left -= size + Math.ceil(size / bytesPerVector) * dimension * 4;
    return left < 0 && i > 0;
  });
  return memories.slice(0, end < 0 ? memories.length : end);
}

/** Throws `EnvelopeError`. Bytes in another format that a client registered have no header and no key. */
function headerOf(
  parts: NamespaceTags,
  { account }: Caller,
  namespace: string,
  envelope: Buffer,
): EnvelopeHeader {
  const { header } = checkHeader(envelope, {
    origin: hexToBytes(account.origin),
    tag: parts.tagOf(account.origin, namespace),
    maxEpoch: BigInt(account.keyEpoch),
  });
  if (header.kind !== envelopeKind.memory) throw new EnvelopeError('unsupported_envelope', 'not a memory');
  return header;
}

/** Identifies a key with its wraps, so that a broken wrap does not fail a valid wrap of the same key. */
function nameOf({ identity, recipientPk, wraps }: EnvelopeHeader): string {
  const digest = createHash('sha256').update(identity).update(recipientPk);
  for (const { type, bytes } of wraps) digest.update(`${type}/${bytes.length}/`).update(bytes);
  return digest.digest('base64');
}

/** Maps `nameOf` to the key, sealed to the caller's own, or to the reason why not. Throws `decrypt_unavailable`. */
async function sealedKeys(
  parts: ExportParts,
  caller: Caller,
  readable: readonly Readable[],
  to: string,
): Promise<Map<string, ExportedKey | { reason: string }>> {
  const rewraps = await parts.keyRewraps.of(hexToBytes(caller.account.accountId));
  const headers = [...new Map(readable.map(({ header }) => [nameOf(header), header]))];
  const { keys } = await parts.sidecar.exportKeys(
    {
      ...readerOf(caller, parts.serverAddress),
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
  // A backup must not lack memories that will be readable in a minute
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
