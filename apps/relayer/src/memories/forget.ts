import { envelopeKind } from '@memrelay/envelope/header';
import type { ForgetRequest, ForgetResponse } from '@memrelay/protocol/forget';
import { defaultNamespace } from '@memrelay/protocol/limits';
import type { Caller } from '../auth/caller.ts';
import { requireFreshAccount, requirePermission } from '../auth/require-permission.ts';
import type { RelayerContext } from '../context.ts';
import { hexToBytes } from '../db/hex.ts';
import { insertJobs, type NewJob } from '../jobs/accept-jobs.ts';
import {
  deleteMemories,
  forgottenObjects,
  memoryIds,
  present,
  type Removed,
  targetsIn,
} from './forget-rows.ts';
import { sealJob } from './seal-job.ts';

/** A tombstone names as many (packages/envelope, `supersedes`). */
const perTombstone = 200;
const perCall = 1_000;

/**
 * Removes memories of a namespace, those with these ids or all: rows, vectors, waiting texts and cached ciphertext at
 * once. A signed tombstone goes to the owner like a memory, so that a restore leaves them out; it stands in the database
 * before this returns. Blobs are the owner's to delete: their objects are in the answer. Throws `ApiError`.
 */
export async function forget(
  context: RelayerContext,
  caller: Caller,
  { namespace = defaultNamespace, ids }: ForgetRequest,
): Promise<ForgetResponse> {
  requireFreshAccount(caller);
  const tag = Buffer.from(context.tagOf(caller.account.origin, namespace));
  requirePermission(caller, 'forget', tag);
  const accountId = hexToBytes(caller.account.accountId);
  const place = { accountId, namespace, tag };
  const targets = ids
    ? await memoryIds(context.db, place, ids)
    : await targetsIn(context.db, place, perCall + 1);
  const chosen = (ids ? await present(context.db, place, targets) : targets).slice(0, perCall);
  const removed: Removed[] = [];
  // Names that nothing stands under get no key
  const bury = chosen.length > 0 ? await tombstones(context, caller, namespace, tag) : undefined;
  for (let i = 0; i < chosen.length; i += perTombstone) {
    const part = chosen.slice(i, i + perTombstone);
    const gone = await context.db.transaction(async (tx) => {
      const rows = await deleteMemories(tx, place, part);
      const envelopeIds = rows.flatMap(({ envelopeId }) => (envelopeId ? [envelopeId.toString('hex')] : []));
      // More than were asked for: jobs that repeat a text go with it
      for (let at = 0; at < envelopeIds.length; at += perTombstone)
        await insertJobs(tx, [bury!(envelopeIds.slice(at, at + perTombstone))], 'uploading');
      return rows;
    });
    // Nobody is led there any more; what cannot be deleted now goes when its time in the cache is over
    await context.blobCache
      .delete(gone.flatMap(({ blobId }) => blobId ?? []))
      .catch((error: Error) => context.loggers.memories.warn({ err: error }, 'cached blobs not deleted'));
    removed.push(...gone);
  }
  if (removed.length > 0) context.pipeline.wakeUpload();
  const objects =
    !ids && removed.length > 0
      ? removed.flatMap(({ objectId }) => objectId ?? [])
      : await forgottenObjects(context.db, place, ids && targets);
  return {
    deleted: removed.length,
    namespace,
    owner: caller.account.owner,
    blobs_to_delete: objects,
    ...(targets.length > perCall ? { more: true } : {}),
  };
}

/** Makes tombstones for envelope ids (32 hex digits each), under the namespace's present key. */
async function tombstones(
  context: RelayerContext,
  caller: Caller,
  namespace: string,
  tag: Buffer,
): Promise<(envelopeIds: string[]) => NewJob> {
  const account = await context.expiredDelegates.pruned(caller.account);
  const key = await context.namespaceKeys.current(account, tag);
  return (supersedes) =>
    sealJob(context, caller, {
      kind: envelopeKind.tombstone,
      account,
      namespace,
      keyEpoch: account.keyEpoch,
      key,
      meta: { supersedes },
      text: '',
    });
}
