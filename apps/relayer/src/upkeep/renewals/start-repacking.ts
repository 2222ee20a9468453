import pLimit from 'p-limit';
import type { Logger } from 'pino';
import type { AccountDirectory } from '../../accounts/account-directory.ts';
import { startTaskLoop, type TaskLoop } from '../../base/concurrency/task-loop.ts';
import type { Db } from '../../base/db/db.ts';
import { createSharedTask } from '../../base/rows/shared-tasks.ts';
import type { BlobCache } from '../../blobs/blob-cache.ts';
import { readObjects } from '../../blobs/read-objects.ts';
import type { BlobReads } from '../../blobs/read-stored.ts';
import {
  type RepackTimes,
  releaseQuilts,
  type SharedQuilt,
  sharedQuilts,
  sharedQuiltsWait,
  survivorsOf,
} from '../../jobs/rows/shared-quilts.ts';
import type { SidecarClient } from '../../sidecar/sidecar-client.ts';
import { insertRenewal } from '../rows/renewal-rows.ts';
import { readForRenewal } from './read-for-renewal.ts';

export interface RepackingOptions {
  db: Db;
  sidecar: Pick<SidecarClient, 'storeObjects'>;
  accounts: Pick<AccountDirectory, 'account'>;
  aggregators: BlobReads;
  blobCache: BlobCache;
  /** Memories that are forgotten during the wait are repacked together with the first ones */
  times: RepackTimes;
  /** Called when there is something to upload */
  wakeUpload(): void;
  log: Logger;
}

const pollMs = 2_000;
/** Next round while uploads are running */
const againAfterMs = 1_000;
/** Next round while every quilt waits for more of its memories to be forgotten */
const idleMs = 10_000;
const quiltsAtOnce = 100;
const readsAtOnce = 4;
/**
 * Pause before the next attempt on a quilt that could not be repacked completely, so that other quilts get their turn
 */
const restMs = 10 * 60_000;

/**
 * Stores memories again that share a quilt with a forgotten one, because the owner can delete the quilt's object only
 * when nothing else is in it. The work is recorded in the database when the memory is forgotten. One relayer at a time
 * does it.
 */
export async function startRepacking(options: RepackingOptions): Promise<TaskLoop> {
  const { db, log } = options;
  const task = await createSharedTask(db, 'repack quilts');
  const limit = pLimit(readsAtOnce);
  /** Objects of paused quilts, each with the time of the next attempt */
  const resting = new Map<string, number>();

  async function look(): Promise<void> {
    if (!(await sharedQuiltsWait(db))) return;
    const claim = await task.claim();
    if (!claim) return;
    let failed = true;
    let dueInMs = againAfterMs;
    try {
      await releaseQuilts(db);
      for (const [objectId, until] of resting) if (until <= Date.now()) resting.delete(objectId);
      const due = await sharedQuilts(db, options.times, quiltsAtOnce, resting.keys());
      if (due.length === 0) dueInMs = idleMs;
      for (const quilt of due)
        if (!(await repackAlone(quilt))) resting.set(quilt.objectId, Date.now() + restMs);
      failed = false;
    } finally {
      await task.settle(claim.token, { dueInMs, failed });
    }
  }

  /** A failure in one account must not delay the others. */
  async function repackAlone(quilt: SharedQuilt): Promise<boolean> {
    try {
      return await repack(quilt);
    } catch (error) {
      log.warn(
        { err: error, object_id: quilt.objectId },
        'cannot repack a quilt that contains forgotten memories; will retry',
      );
      return false;
    }
  }

  /** False if a memory in it cannot be stored again now. */
  async function repack(quilt: SharedQuilt): Promise<boolean> {
    const account = await options.accounts.account(`0x${quilt.accountId.toString('hex')}`);
    if (!account) return false;
    const survivors = await survivorsOf(db, quilt);
    if (survivors.length === 0) return true;
    // An owner who deletes a quilt's object deletes everything in it: a copy that is left in the cache must not bring
    // it back
    const isDeleted = (await readObjects(options.sidecar, [quilt.objectId])).length === 0;
    const envelopes = await limit.map(survivors, (memory) =>
      readForRenewal(options, { ...memory, isDeleted }),
    );
    // Queued together, so that they go into one quilt
    const queued = await db.transaction(async (tx) => {
      let count = 0;
      for (const [i, { accountId, id }] of survivors.entries()) {
        const envelope = envelopes[i];
        // Any expiry epoch will do: the new blob is not the old one
        const memory = { accountId, id, endEpoch: 0 };
        if (envelope && (await insertRenewal(tx, memory, account.owner, envelope))) count += 1;
      }
      return count;
    });
    if (queued > 0) options.wakeUpload();
    const unreadable = envelopes.filter((envelope) => envelope === undefined).length;
    const about = { object_id: quilt.objectId, memories: queued, ...(unreadable > 0 ? { unreadable } : {}) };
    if (unreadable > 0)
      log.warn(about, 'cannot repack every memory of a quilt that contains forgotten memories');
    else log.info(about, 'repacking quilt that contains forgotten memories');
    return unreadable === 0;
  }

  return startTaskLoop(pollMs, look, (error) =>
    log.warn({ err: error }, 'repacking of quilts that contain forgotten memories failed; will retry'),
  );
}
