import { permissions } from '@memrelay/chain/account-bcs';
import { contextOf } from '@memrelay/envelope/meta';
import { namespaceTag, privateNamespaceTag } from '@memrelay/envelope/namespace-tag';
import type { Primitives } from '@memrelay/envelope/primitives';
import type { Wrap } from '@memrelay/envelope/wraps';
import { fromHex, toHex } from '@memrelay/protocol/bytes';
import { limits } from '@memrelay/protocol/limits';
import type { ManualHit, RecallManualResponse } from '@memrelay/protocol/memories';
import { recallBody } from '../recall-body.ts';
import { untilAborted } from '../wire/abort.ts';
import { fromBase64 } from '../wire/base64.ts';
import { camelKeys } from '../wire/camel-keys.ts';
import { MemRelayError } from '../wire/errors.ts';
import { type Connection, callRelayer } from '../wire/request.ts';
import { type AccountState, maxAccountAgeMs } from './account-state.ts';
import { mapBounded } from './bounded.ts';
import type { ManualParts } from './manual-parts.ts';
import type {
  DroppedHit,
  ManualOptions,
  ManualRecallHit,
  ManualRecallOptions,
  ManualRecallResult,
} from './manual-types.ts';
import { type OpenedMemory, openMemories } from './open-memories.ts';
import type { ReadBlob } from './read-blob.ts';

/** A recall in progress. */
export interface ManualQuestion {
  /** Undefined for a search by words alone, in a private namespace */
  vector: Float32Array | undefined;
  embeddingModel: string | undefined;
  namespace: string;
  /** In a private namespace */
  private?: PrivateRecall | undefined;
}

/** What a recall in a private namespace adds. */
export interface PrivateRecall {
  /** Fields of the request: the question's tokens */
  body: Record<string, unknown>;
  /** Called with the response, before anything of it is opened */
  onAnswer(answer: RecallManualResponse): void;
}

const downloadsAtOnce = 8;

/**
 * Asks the relayer for the nearest memories, fetches their blobs and opens them locally. Throws `decrypt_denied` and
 * `decrypt_unavailable` if the key servers return none of the keys, and other `MemRelayError`s.
 */
export async function recallSealed(
  connection: Connection,
  parts: ManualParts,
  p: Primitives,
  question: ManualQuestion,
  options: ManualRecallOptions & Pick<ManualOptions, 'trustedWriters' | 'trustRelayer'>,
): Promise<ManualRecallResult> {
  const { signal, maxDistance } = options;
  const body = {
    // The question stays here: only its vector is sent
    ...recallBody('', options),
    query: undefined,
    explain: undefined,
    tags: undefined,
    vector: question.vector && Array.from(question.vector, (value) => Number(value.toPrecision(9))),
    embedding_model: question.embeddingModel,
    namespace: question.namespace,
    ...question.private?.body,
  };
  const call = { method: 'POST', path: '/api/recall/manual', body, signal } as const;
  const [{ value: answer }, account] = await Promise.all([
    callRelayer<RecallManualResponse>(connection, call),
    parts.account.read(maxAccountAgeMs, signal),
  ]);
  // Limited here too: the relayer could return more matches, and each one is fetched and opened
  question.private?.onAnswer(answer);
  const hits = answer.results
    .slice(0, options.limit ?? limits.recallLimit.default)
    .filter(({ distance }) => maxDistance === undefined || distance <= maxDistance);
  const blobs = await mapBounded(hits, downloadsAtOnce, (hit) => bytesOf(hit, parts, p, signal));
  const read = blobs.flatMap((blob) => (blob.ok ? [blob.bytes] : []));
  const state = await newestFor(read, account, parts, signal);
  let later: Promise<Map<string, Wrap[]>> | undefined;
  const opening = {
    state,
    tag: (question.private ? privateNamespaceTag : namespaceTag)(p, state.origin, question.namespace),
    trust: trustOf(state, answer.trusted_writers ?? [], options),
    sets: parts.network.readable,
    expected: parts.expected,
    wrapsOf: async (recipientPk: Uint8Array) => {
      later ??= parts.laterWraps(signal);
      return (await later).get(toHex(recipientPk)) ?? [];
    },
  };
  const opened = await untilAborted(openMemories(p, parts.unwrapper, read, opening), signal);
  refuseWhenNothingOpens(opened);
  return resultOf(hits, blobs, opened, answer.dropped_count ?? 0, connection.clock.now());
}

async function bytesOf(
  hit: ManualHit,
  { blobs }: ManualParts,
  p: Primitives,
  signal: AbortSignal | undefined,
): Promise<ReadBlob> {
  if (hit.blob_id !== undefined && hit.encrypted_data === undefined)
    return blobs.read({ blobId: hit.blob_id, sha256: hit.sha256 }, signal);
  const bytes = fromBase64(hit.encrypted_data ?? '');
  if (toHex(p.sha256(bytes)) === hit.sha256) return { ok: true, bytes };
  return {
    ok: false,
    reason: 'wrong_bytes',
    message: 'the relayer returned different bytes than it has indexed',
  };
}

/** Reloads the account if an envelope has a key epoch that this client does not know yet: it may be new. */
async function newestFor(
  envelopes: readonly Uint8Array[],
  state: AccountState,
  { account }: ManualParts,
  signal: AbortSignal | undefined,
): Promise<AccountState> {
  const epochOf = (bytes: Uint8Array): bigint =>
    bytes.length < 72 ? 0n : new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(64, true);
  const ahead = envelopes.some((bytes) => epochOf(bytes) > state.account.key_epoch);
  return ahead ? account.read(0, signal) : state;
}

/** Trusted signers: writing delegates on chain, the caller's list, and the relayer's list unless that is turned off. */
function trustOf(
  { account }: AccountState,
  relayers: readonly string[],
  { trustedWriters = [], trustRelayer = true }: Pick<ManualOptions, 'trustedWriters' | 'trustRelayer'>,
): ReadonlySet<string> {
  const writers = new Set(
    account.scopes.filter(({ value }) => (value.perms & permissions.write) !== 0).map(({ key }) => key),
  );
  const delegates = account.delegate_keys
    .filter(({ address }) => writers.has(address))
    .map(({ public_key }) => toHex(public_key));
  const named = trustedWriters.map((key) => toHex(fromHex(key)));
  return new Set([...delegates, ...named, ...(trustRelayer ? relayers : [])]);
}

/** If no key at all could be fetched, the call fails, not the individual matches. */
function refuseWhenNothingOpens(opened: readonly OpenedMemory[]): void {
  if (opened.length === 0 || !opened.every((each) => !each.ok && each.reason !== 'integrity')) return;
  const unanswered = opened.some((each) => !each.ok && each.reason === 'keys_unavailable');
  throw unanswered
    ? new MemRelayError(
        'decrypt_unavailable',
        'The key servers did not respond, so none of the matches could be opened. The same call may succeed later.',
        { retryable: true },
      )
    : new MemRelayError(
        'decrypt_denied',
        'The key servers refuse this key access to all matches. It may have been revoked, or may not read this namespace: ask the owner of the account.',
      );
}

function resultOf(
  hits: readonly ManualHit[],
  blobs: readonly ReadBlob[],
  opened: readonly OpenedMemory[],
  unanswered: number,
  nowMs: number,
): ManualRecallResult {
  const results: ManualRecallHit[] = [];
  const dropped: DroppedHit[] = [];
  let next = 0;
  for (const [i, hit] of hits.entries()) {
    const blob = blobs[i]!;
    const hitRef = {
      id: hit.id,
      ...(hit.blob_id === undefined ? {} : { blobId: hit.blob_id }),
      distance: hit.distance,
    };
    const memory = blob.ok ? opened[next++]! : blob;
    if (!('opened' in memory)) {
      if (!memory.ok) dropped.push({ ...hitRef, reason: memory.reason, message: memory.message });
      continue;
    }
    const { meta, text, signer } = memory.opened;
    if (meta.expires_at !== undefined && Date.parse(meta.expires_at) <= nowMs) continue;
    results.push({
      ...hitRef,
      text,
      createdAt: meta.created_at,
      ...(meta.occurred_at === undefined ? {} : { occurredAt: meta.occurred_at }),
      ...(meta.importance === undefined ? {} : { importance: meta.importance }),
      ...camelKeys(contextOf(meta) ?? {}),
      ...(hit.score === undefined ? {} : { score: hit.score }),
      ...(hit.pending ? { pending: true as const } : {}),
      ...(hit.superseded_by === undefined ? {} : { supersededBy: hit.superseded_by }),
      signer: toHex(signer),
    });
  }
  return { results, total: results.length, dropped, droppedCount: dropped.length + unanswered };
}
