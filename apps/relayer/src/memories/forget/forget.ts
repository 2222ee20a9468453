import { ApiError } from '@memrelay/protocol/errors';
import type {
  ForgetPreview,
  ForgetPreviewRequest,
  ForgetRequest,
  ForgetResponse,
} from '@memrelay/protocol/forget';
import { defaultNamespace } from '@memrelay/protocol/limits';
import type { Caller } from '../../accounts/caller.ts';
import { namespacesWith, requireFreshAccount, requirePermission } from '../../accounts/require-permission.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import type { RelayerContext } from '../../context.ts';
import {
  forgottenBefore,
  memoryIds,
  namedMemories,
  namespacesToForget,
  present,
  type Removed,
  targetsIn,
} from '../../jobs/queue/forget-rows.ts';
import {
  type ForgottenObjects,
  forgottenObjects,
  freeObjects,
  type Place,
} from '../../jobs/queue/forgotten-objects.ts';
import { sharedSince } from '../../jobs/queue/shared-quilts.ts';
import { removeMemories } from './remove-memories.ts';

const perCall = 1_000;

/**
 * Removes memories of a namespace, those with these ids or all, or everything of the account: rows, vectors, waiting texts
 * and cached ciphertext at once. A signed tombstone goes to the owner like a memory, so that a restore leaves them out; it
 * stands in the database before this returns. Blobs are the owner's to delete: their objects are in the answer, but for
 * those that hold memories which live on; these are stored anew first. Throws `ApiError`.
 */
export async function forget(
  context: RelayerContext,
  caller: Caller,
  { namespace = defaultNamespace, ids, everything }: ForgetRequest,
): Promise<ForgetResponse> {
  requireFreshAccount(caller);
  if (everything) return forgetEverything(context, caller);
  const place = placeOf(context, caller, namespace);
  requirePermission(caller, 'forget', place.tag);
  const targets = ids
    ? await memoryIds(context.db, place, ids)
    : await targetsIn(context.db, place, perCall + 1);
  const chosen = (ids ? await present(context.db, place, targets) : targets).slice(0, perCall);
  const removed = await removeMemories(context, caller, place, chosen);
  const objects = await (!ids && removed.length > 0
    ? freeObjects(context.db, place.accountId, objectsOf(removed))
    : forgottenObjects(context.db, place, ids && targets));
  return {
    deleted: removed.length,
    namespace,
    owner: caller.account.owner,
    ...(await listed(context, place.accountId, objects)),
    ...(targets.length > perCall ? { more: true } : {}),
  };
}

/**
 * What `forget` would remove for these ids, and which of them name nothing, so that a client can ask its user about what
 * there is. Removes nothing. Throws `ApiError`.
 */
export async function previewForget(
  context: RelayerContext,
  caller: Caller,
  { namespace = defaultNamespace, ids }: ForgetPreviewRequest,
): Promise<ForgetPreview> {
  const place = placeOf(context, caller, namespace);
  requirePermission(caller, 'forget', place.tag);
  const named = await namedMemories(context.db, place, ids);
  const candidates = [...new Set(named.map(({ memory }) => memory))];
  const there = await present(context.db, place, candidates);
  const known = new Set([...there, ...(await forgottenBefore(context.db, place, candidates))]);
  const given = new Set(named.filter(({ memory }) => known.has(memory)).map((each) => each.given));
  return {
    namespace,
    memories: there.length,
    unknown: ids.filter((id) => !given.has(id) && !given.has(id.toLowerCase())),
  };
}

/** Namespace after namespace. Only for keys that may forget in all of them: another would leave out what it cannot see. */
async function forgetEverything(context: RelayerContext, caller: Caller): Promise<ForgetResponse> {
  if (namespacesWith(caller, 'forget') !== 'all') throw new ApiError('insufficient_scope');
  const accountId = hexToBytes(caller.account.accountId);
  const removed: Removed[] = [];
  let more = false;
  let left = perCall;
  for (const namespace of await namespacesToForget(context.db, accountId)) {
    const place = placeOf(context, caller, namespace);
    const targets = await targetsIn(context.db, place, left + 1);
    removed.push(...(await removeMemories(context, caller, place, targets.slice(0, left))));
    more = targets.length > left;
    if (more) break;
    left -= targets.length;
  }
  const objects = await (removed.length > 0
    ? freeObjects(context.db, accountId, objectsOf(removed))
    : forgottenObjects(context.db, { accountId }, undefined));
  return {
    deleted: removed.length,
    owner: caller.account.owner,
    ...(await listed(context, accountId, objects)),
    ...(more ? { more } : {}),
  };
}

function placeOf(context: RelayerContext, caller: Caller, namespace: string): Place {
  const { accountId, origin } = caller.account;
  return {
    accountId: hexToBytes(accountId),
    namespace,
    tag: Buffer.from(context.tagOf(origin, namespace)),
  };
}

async function listed(
  { db, repackAfterMs }: RelayerContext,
  accountId: Buffer,
  { free, shared }: ForgottenObjects,
): Promise<Pick<ForgetResponse, 'blobs_to_delete' | 'blobs_shared' | 'blobs_shared_until'>> {
  if (shared === 0) return { blobs_to_delete: free };
  const since = await sharedSince(db, accountId);
  const until = since && new Date(since.getTime() + repackAfterMs);
  return {
    blobs_to_delete: free,
    blobs_shared: shared,
    ...(until && until.getTime() > Date.now() ? { blobs_shared_until: until.toISOString() } : {}),
  };
}

function objectsOf(removed: readonly Removed[]): string[] {
  return removed.flatMap(({ objectId }) => objectId ?? []);
}
