import type { ForgetPreview, ForgetResponse } from '@memrelay/protocol/forget';
import { defaultNamespace } from '@memrelay/protocol/limits';
import { MemRelayError } from './wire/errors.ts';
import { type Connection, callRelayer } from './wire/request.ts';
import type { CallOptions } from './wire/types.ts';

export interface ForgetOptions extends CallOptions {
  /** With `ids`, defaults to the client's namespace. Required without `ids` */
  namespace?: string | undefined;
  /** Memory, job or blob ids, at most 200. If omitted, all memories of the namespace are forgotten */
  ids?: readonly string[];
  /** Requires `ids`. Removes nothing: `deleted` is the number of memories that would be removed, `unknown` lists ids that match none */
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
 * Repeats the request until everything requested is forgotten. Throws `invalid_argument` for a call without `ids` that does
 * not name its namespace, so that a call that accidentally lost its `ids` does not empty the client's namespace.
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
      'forget needs ids, or a namespace to delete all of its memories.',
    );
  if (dryRun && ids === undefined)
    throw new MemRelayError('invalid_argument', 'forget with dryRun needs ids.');
  return dryRun
    ? preview(connection, { namespace, ids }, signal)
    : untilDone(connection, { namespace, ids }, signal);
}

/** Rejects with `not_found`, without having removed anything, if the relayer is too old to have this route. */
async function preview(
  connection: Connection,
  body: unknown,
  signal: AbortSignal | undefined,
): Promise<Forgotten> {
  const call = { method: 'POST', path: '/api/forget/preview', body, signal } as const;
  const { value } = await callRelayer<ForgetPreview>(connection, call);
  return { deleted: value.memories, blobsToDelete: [], unknown: value.unknown };
}

/** Forgets all memories of the account, in all namespaces. */
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
    // Only the last response counts: blobs that one page shares with the next can be deleted after the next page
    const { blobs_shared: shared, blobs_shared_until: until } = value;
    delete forgotten.blobsShared;
    delete forgotten.blobsSharedUntil;
    if (shared !== undefined) forgotten.blobsShared = shared;
    if (until !== undefined) forgotten.blobsSharedUntil = until;
    more = value.more === true;
  }
  return forgotten;
}
