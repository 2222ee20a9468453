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
import {
  forgottenBefore,
  memoryIds,
  namespacesToForget,
  present,
  type Removed,
  resolveIds,
  targetsIn,
} from '../../jobs/rows/forget-rows.ts';
import {
  type AccountNamespace,
  type ForgottenObjects,
  forgottenObjects,
  freeObjects,
} from '../../jobs/rows/forgotten-objects.ts';
import { sharedSince } from '../../jobs/rows/shared-quilts.ts';
import type { NamespaceTags, ScopeParts } from '../reading/scope-namespaces.ts';
import { type RemoveParts, removeMemories } from './remove-memories.ts';

const perCall = 1_000;

export interface ForgetParts extends RemoveParts, NamespaceTags {
  /** Memories that share a quilt with a forgotten one are stored again at most this many ms after the forget */
  repackAfterMs: number;
}

/**
 * Removes memories: those with these ids, a whole namespace, or everything in the account. Deletes rows, vectors,
 * waiting texts and cached ciphertext immediately. A signed tombstone is uploaded like a memory, so that a restore leaves
 * them out; its job is in the database before this returns. Only the owner can delete blobs, so the response lists their
 * objects, except those that also contain living memories: these memories are stored again first. Throws `ApiError`.
 */
export async function forget(
  parts: ForgetParts,
  caller: Caller,
  { namespace = defaultNamespace, ids, everything }: ForgetRequest,
): Promise<ForgetResponse> {
  requireFreshAccount(caller);
  if (everything) return forgetEverything(parts, caller);
  const ns = accountNamespace(parts, caller, namespace);
  requirePermission(caller, 'forget', ns.tag);
  const targets = ids ? await memoryIds(parts.db, ns, ids) : await targetsIn(parts.db, ns, perCall + 1);
  const chosen = (ids ? await present(parts.db, ns, targets) : targets).slice(0, perCall);
  const removed = await removeMemories(parts, caller, ns, chosen);
  const objects = await (!ids && removed.length > 0
    ? freeObjects(parts.db, ns.accountId, objectsOf(removed))
    : forgottenObjects(parts.db, ns, ids && targets));
  return {
    deleted: removed.length,
    namespace,
    owner: caller.account.owner,
    ...(await listed(parts, ns.accountId, objects)),
    ...(targets.length > perCall ? { more: true } : {}),
  };
}

/**
 * Returns what `forget` would remove for these ids, and which ids are unknown, so that a client can ask its user first.
 * Removes nothing. Throws `ApiError`.
 */
export async function previewForget(
  parts: ScopeParts,
  caller: Caller,
  { namespace = defaultNamespace, ids }: ForgetPreviewRequest,
): Promise<ForgetPreview> {
  const ns = accountNamespace(parts, caller, namespace);
  requirePermission(caller, 'forget', ns.tag);
  const resolved = await resolveIds(parts.db, ns, ids);
  const candidates = [...new Set(resolved.map(({ memory }) => memory))];
  const there = await present(parts.db, ns, candidates);
  // A job with a known text has no memory of its own: its id refers to the memory with that text
  const aliases = new Set(
    resolved
      .filter(({ requested, memory }) => requested !== memory && there.includes(memory))
      .map((each) => each.requested),
  );
  const known = new Set([...there, ...(await forgottenBefore(parts.db, ns, candidates))]);
  const resolvedIds = new Set(
    resolved.filter(({ memory }) => known.has(memory)).map((each) => each.requested),
  );
  return {
    namespace,
    memories: there.filter((id) => !aliases.has(id)).length,
    unknown: ids.filter((id) => !resolvedIds.has(id) && !resolvedIds.has(id.toLowerCase())),
  };
}

/**
 * Works namespace by namespace. Requires the permission for all of them: otherwise the namespaces outside its scope would
 * remain.
 */
async function forgetEverything(parts: ForgetParts, caller: Caller): Promise<ForgetResponse> {
  if (namespacesWith(caller, 'forget') !== 'all') throw new ApiError('insufficient_scope');
  const accountId = hexToBytes(caller.account.accountId);
  const removed: Removed[] = [];
  let more = false;
  let left = perCall;
  for (const namespace of await namespacesToForget(parts.db, accountId)) {
    const ns = accountNamespace(parts, caller, namespace);
    const targets = await targetsIn(parts.db, ns, left + 1);
    removed.push(...(await removeMemories(parts, caller, ns, targets.slice(0, left))));
    more = targets.length > left;
    if (more) break;
    left -= targets.length;
  }
  const objects = await (removed.length > 0
    ? freeObjects(parts.db, accountId, objectsOf(removed))
    : forgottenObjects(parts.db, { accountId }, undefined));
  return {
    deleted: removed.length,
    owner: caller.account.owner,
    ...(await listed(parts, accountId, objects)),
    ...(more ? { more } : {}),
  };
}

function accountNamespace(parts: NamespaceTags, caller: Caller, namespace: string): AccountNamespace {
  const { accountId, origin } = caller.account;
  return {
    accountId: hexToBytes(accountId),
    namespace,
    tag: Buffer.from(parts.tagOf(origin, namespace)),
  };
}

async function listed(
  { db, repackAfterMs }: Pick<ForgetParts, 'db' | 'repackAfterMs'>,
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
