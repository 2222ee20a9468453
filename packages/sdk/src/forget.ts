import type { ForgetPreview, ForgetResponse } from '@memrelay/protocol/forget';
import { defaultNamespace } from '@memrelay/protocol/limits';
import { MemRelayError } from './wire/errors.ts';
import { type Connection, callRelayer } from './wire/request.ts';
import type { CallOptions } from './wire/types.ts';

export interface ForgetOptions extends CallOptions {
  /** With `ids` that of the client when omitted; without `ids` it has to be named */
  namespace?: string | undefined;
  /** Memory, job or blob ids, at most 200; all memories of the namespace when omitted */
  ids?: readonly string[];
  /** With `ids`: removes nothing; `deleted` is how many would be removed, and `unknown` names the ids that name nothing */
  dryRun?: boolean;
}

export interface Forgotten {
  /** Number of removed memories, not counting those that were already removed */
  deleted: number;
  /** Blob objects for the owner to delete on chain (`AccountOwner.deleteBlobs`) */
  blobsToDelete: string[];
  /**
   * Number of blob objects that also contain other memories. The server stores those again first. Repeat the call later with
   * the same ids to get the objects in `blobsToDelete`. Absent if there are none
   */
  blobsShared?: number;
  /** When the server starts that at the latest, RFC 3339; absent if it has already started */
  blobsSharedUntil?: string;
  /** With `dryRun` */
  unknown?: string[];
}

/**
 * Forgets until the namespace has nothing more to forget. A call that has lost its `ids` empties no namespace: without them
 * the namespace must be named in the call itself, or it throws `invalid_argument`.
 */
export async function forget(
  connection: Connection,
  options: ForgetOptions,
  ofClient: string | undefined,
): Promise<Forgotten> {
  const { namespace = ofClient ?? defaultNamespace, ids, dryRun, signal } = options;
  if (ids === undefined && (options.namespace === undefined || 'ids' in options))
    throw new MemRelayError(
      'invalid_argument',
      'forget needs ids; or, without them, the namespace of which everything is to go.',
    );
  if (dryRun && ids === undefined)
    throw new MemRelayError('invalid_argument', 'forget with dryRun needs ids.');
  return dryRun
    ? preview(connection, { namespace, ids }, signal)
    : untilDone(connection, { namespace, ids }, signal);
}

/** Of a relayer without this route the call rejects with `not_found`, and has removed nothing. */
async function preview(
  connection: Connection,
  body: unknown,
  signal: AbortSignal | undefined,
): Promise<Forgotten> {
  const call = { method: 'POST', path: '/api/forget/preview', body, signal } as const;
  const { value } = await callRelayer<ForgetPreview>(connection, call);
  return { deleted: value.memories, blobsToDelete: [], unknown: value.unknown };
}

/** Forgets until nothing of the account is left, in any namespace. */
export async function forgetEverything(connection: Connection, { signal }: CallOptions): Promise<Forgotten> {
  return untilDone(connection, { everything: true }, signal);
}

async function untilDone(
  connection: Connection,
  body: unknown,
  signal: AbortSignal | undefined,
): Promise<Forgotten> {
  const forgotten: Forgotten = { deleted: 0, blobsToDelete: [] };
  for (let more = true; more; ) {
    const call = { method: 'POST', path: '/api/forget', body, signal } as const;
    const { value } = await callRelayer<ForgetResponse>(connection, call);
    forgotten.deleted += value.deleted;
    forgotten.blobsToDelete.push(...value.blobs_to_delete);
    // What one page shares with the next is free by the end of it
    const { blobs_shared: shared, blobs_shared_until: until } = value;
    delete forgotten.blobsShared;
    delete forgotten.blobsSharedUntil;
    if (shared !== undefined) forgotten.blobsShared = shared;
    if (until !== undefined) forgotten.blobsSharedUntil = until;
    more = value.more === true;
  }
  return forgotten;
}
