import { EnvelopeError } from '@memrelay/envelope/envelope-error';
import { parseHeader } from '@memrelay/envelope/header';
import { contextOf, type EnvelopeContext } from '@memrelay/envelope/meta';
import { openBody } from '@memrelay/envelope/open-envelope';
import { portablePrimitives } from '@memrelay/envelope/portable-primitives';
import type { Primitives } from '@memrelay/envelope/primitives';
import { openRecoveryWrap } from '@memrelay/envelope/recovery-wrap';
import { wrapType } from '@memrelay/envelope/wraps';
import { exportLimit } from '@memrelay/protocol/bundle-limits';
import type { ExportedMemory, ExportRequest, ExportResponse } from '@memrelay/protocol/bundles';
import { toHex } from '@memrelay/protocol/bytes';
import { fromBase64 } from '../wire/base64.ts';
import type { CallOptions } from '../wire/types.ts';
import { type BundlePage, encodeContent, type PageMemory } from './bundle-content.ts';
import { newBundleKey } from './bundle-key.ts';
import { sealRecord } from './bundle-records.ts';
import type { BundlePosition } from './resume-bundle.ts';

/** The part of `MemRelay` that an export uses. */
export interface ExportClient {
  readonly accountId: string;
  exportPage(request: ExportRequest, options?: CallOptions): Promise<ExportResponse>;
}

export interface ExportOptions extends CallOptions {
  /** At least 12 characters. It stays in the client: no server sees it or anything derived from it. */
  passphrase: string;
  /** If omitted: every namespace that the key may read */
  namespace?: string | undefined;
  /** State of an interrupted export (`resumeBundle`); append the output there */
  resume?: BundlePosition | undefined;
  onProgress?: (progress: ExportProgress) => void;
  /** Cost of each passphrase guess, as a power of two, 10 to 19: 17 takes 128 MiB and about one second */
  scryptLogN?: number;
  /** `nodePrimitives` is faster in Node */
  primitives?: Primitives;
}

export interface ExportProgress {
  memories: number;
  /** Memories that this run could not export */
  failed: readonly { id: string; blobId?: string | undefined; reason: string }[];
}

/**
 * Yields a bundle part by part, newest memory first; write the parts to a file as they arrive. Each envelope is opened and its
 * signature checked before it is included, so that everything in the bundle is readable. Throws `MemRelayError`; an
 * interrupted export can be resumed.
 */
export async function* exportBundle(
  client: ExportClient,
  options: ExportOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { namespace, resume, signal, primitives: p = portablePrimitives } = options;
  const key = resume?.key ?? (await newBundleKey(options.passphrase, options.scryptLogN));
  // A new key pair for this run, to which keys are sealed. A pair derived from the passphrase would let a server guess passphrases.
  const privateKey = p.randomBytes(32);
  const recipient_pk = toHex(p.x25519PublicKey(privateKey));
  const failed: ExportProgress['failed'][number][] = [];
  let index = resume?.records ?? 0;
  let memories = resume?.memories ?? 0;
  let failures = resume?.failed ?? 0;
  let cursor = resume?.cursor;
  const record = (head: Parameters<typeof encodeContent>[0], payload: Uint8Array[] = []): Uint8Array =>
    sealRecord(p, key, {
      index: index++,
      last: head.kind === 'end',
      plaintext: encodeContent(head, payload),
    });

  if (!resume) {
    yield key.header;
    yield record({
      kind: 'start',
      account_id: client.accountId,
      created_at: new Date().toISOString(),
      ...(namespace === undefined ? {} : { namespace }),
    });
  }
  for (let more = !resume || cursor !== undefined; more; more = cursor !== undefined) {
    const request = { namespace, cursor, limit: exportLimit.max, recipient_pk };
    const page = readPage(p, privateKey, await client.exportPage(request, { signal }));
    cursor = page.head.next_cursor;
    memories += page.head.memories.length;
    failures += page.head.failed.length;
    failed.push(...page.head.failed.map(({ id, blob_id, reason }) => ({ id, blobId: blob_id, reason })));
    yield record(page.head, page.payload);
    options.onProgress?.({ memories, failed });
  }
  yield record({ kind: 'end', memories, failed: failures });
}

/** A memory as its owner can read it. */
export interface OpenMemory {
  id: string;
  namespace: string;
  /** RFC 3339 */
  createdAt: string;
  importance: number;
  text: string;
  /** The context fields as they are sealed: `session`, `speaker`, `happened_at`, `tags`, `metadata`, `expires_at` */
  context?: EnvelopeContext;
}

export type OpenExportOptions = Omit<ExportOptions, 'passphrase' | 'resume' | 'scryptLogN'>;

/**
 * Yields the memories with their texts, newest first, page by page. They are opened here: no server sends a text. Throws
 * `MemRelayError`; memories that cannot be read are in `onProgress`.
 */
export async function* exportOpen(
  client: Pick<ExportClient, 'exportPage'>,
  { namespace, signal, primitives: p = portablePrimitives, onProgress }: OpenExportOptions = {},
): AsyncGenerator<OpenMemory[], void, undefined> {
  const privateKey = p.randomBytes(32);
  const recipient_pk = toHex(p.x25519PublicKey(privateKey));
  const failed: ExportProgress['failed'][number][] = [];
  let memories = 0;
  let cursor: string | undefined;
  do {
    const request = { namespace, cursor, limit: exportLimit.max, recipient_pk };
    const answer = await client.exportPage(request, { signal });
    const { head, opened } = readPage(p, privateKey, answer);
    cursor = head.next_cursor;
    memories += head.memories.length;
    failed.push(...head.failed.map(({ id, blob_id, reason }) => ({ id, blobId: blob_id, reason })));
    yield head.memories.map(({ id, importance, created_at, ...memory }, i) => ({
      id,
      namespace: memory.namespace,
      createdAt: created_at,
      importance,
      ...opened[i]!,
    }));
    onProgress?.({ memories, failed });
  } while (cursor !== undefined);
}

/** Converts a page of the relayer for a bundle: opens the keys and tests each envelope. */
function readPage(
  p: Primitives,
  privateKey: Uint8Array,
  answer: ExportResponse,
): { head: BundlePage; payload: Uint8Array[]; opened: Pick<OpenMemory, 'text' | 'context'>[] } {
  const { trusted_writers, next_cursor } = answer;
  const trust = new Set(trusted_writers);
  const sealed = new Map(answer.keys.map((each) => [each.recipient_pk, fromBase64(each.sealed)]));
  const privateKeys = new Map<string, Uint8Array>();
  const failed = [...answer.failed];
  const memories: PageMemory[] = [];
  const payload: Uint8Array[] = [];
  const opened: Pick<OpenMemory, 'text' | 'context'>[] = [];
  for (const memory of answer.memories) {
    const envelope = fromBase64(memory.envelope);
    try {
      opened.push(tryToOpen(p, envelope, trust, privateKey, sealed, privateKeys));
    } catch (error) {
      if (!(error instanceof EnvelopeError)) throw error;
      failed.push({ id: memory.id, reason: error.reason });
      continue;
    }
    const vectors = memory.vectors?.values.map(fromBase64) ?? [];
    memories.push(pageMemory(memory, envelope, vectors));
    payload.push(envelope, ...vectors);
  }
  const keys = [...privateKeys].map(([recipient_pk, key]) => ({ recipient_pk, private_key: toHex(key) }));
  const head: BundlePage = {
    kind: 'page',
    memories,
    keys,
    trusted_writers,
    failed,
    ...(next_cursor === undefined ? {} : { next_cursor }),
  };
  return { head, payload, opened };
}

/** The text and the context fields. Throws `EnvelopeError`. */
function tryToOpen(
  p: Primitives,
  bytes: Uint8Array,
  trust: ReadonlySet<string>,
  privateKey: Uint8Array,
  sealed: ReadonlyMap<string, Uint8Array>,
  opened: Map<string, Uint8Array>,
): Pick<OpenMemory, 'text' | 'context'> {
  const header = parseHeader(bytes, bytes.length);
  const name = toHex(header.recipientPk);
  let key = opened.get(name);
  if (!key) {
    const wrap = { type: wrapType.recovery, bytes: sealed.get(name) ?? new Uint8Array(0) };
    key = openRecoveryWrap(p, wrap, privateKey, header);
  }
  const { text, meta } = openBody(p, { header, bytes }, key, trust);
  opened.set(name, key);
  const context = contextOf(meta);
  return { text, ...(context ? { context } : {}) };
}

function pageMemory(
  { id, namespace, created_at, importance, vectors }: ExportedMemory,
  envelope: Uint8Array,
  values: readonly Uint8Array[],
): PageMemory {
  return {
    id,
    namespace,
    created_at,
    importance,
    envelope: envelope.length,
    ...(vectors && values.length > 0
      ? { vectors: { model: vectors.model, count: values.length, bytes: values[0]!.length } }
      : {}),
  };
}
