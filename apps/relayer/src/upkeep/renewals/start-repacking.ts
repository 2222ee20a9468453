import pLimit from 'p-limit';
import type { Logger } from 'pino';
import type { AccountDirectory } from '../../accounts/account-directory.ts';
import { createSharedTask, startTaskLoop, type TaskLoop } from '../../base/concurrency/shared-task.ts';
import type { Db } from '../../base/db/db.ts';
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
import { readAgain } from './read-again.ts';

export interface RepackingOptions {
  db: Db;
  sidecar: Pick<SidecarClient, 'storeObjects'>;
  accounts: Pick<AccountDirectory, 'account'>;
  aggregators: BlobReads;
  blobCache: BlobCache;
  /** What is forgotten meanwhile is one work with what was forgotten first */
  times: RepackTimes;
  /** There is something to upload */
  wakeUpload(): void;
  log: Logger;
}

const pollMs = 2_000;
/** While the uploads are under way */
const againAfterMs = 1_000;
/** While all that there are wait for more to be forgotten of them */
const idleMs = 10_000;
const quiltsAtOnce = 100;
const readsAtOnce = 4;
/** So long nothing is tried with a quilt that cannot be left by all: others have their turn */
const restMs = 10 * 60_000;

/**
 * Stores anew what shares a quilt with a forgotten memory: its owner can delete the quilt's object only when nothing else
 * is in it. What is to be done stands in the database from the forgetting on; one relayer at a time does it.
 */
export async function startRepacking(options: RepackingOptions): Promise<TaskLoop> {
  const { db, log } = options;
  const task = await createSharedTask(db, 'repack quilts');
  const limit = pLimit(readsAtOnce);
  /** Objects that rest, each with the time when it is looked at again */
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

  /** What is wrong with one account holds up no other. */
  async function repackAlone(quilt: SharedQuilt): Promise<boolean> {
    try {
      return await repack(quilt);
    } catch (error) {
      log.warn(
        { err: error, object_id: quilt.objectId },
        'a quilt with a forgotten memory cannot be packed anew now',
      );
      return false;
    }
  }

  /** False where something in it cannot be stored anew now. */
  async function repack(quilt: SharedQuilt): Promise<boolean> {
    const account = await options.accounts.account(`0x${quilt.accountId.toString('hex')}`);
    if (!account) return false;
    const survivors = await survivorsOf(db, quilt);
    if (survivors.length === 0) return true;
    // Who deletes a quilt's object deletes all in it: what is left in a cache does not bring it back
    const isDeleted = (await readObjects(options.sidecar, [quilt.objectId])).length === 0;
    const envelopes = await limit.map(survivors, (memory) => readAgain(options, { ...memory, isDeleted }));
    // All at once, so that they wait together and go into one quilt
    const queued = await db.transaction(async (tx) => {
      let count = 0;
      for (const [i, { accountId, id }] of survivors.entries()) {
        const envelope = envelopes[i];
        // Any end will do: the new blob is another one than the old
        const memory = { accountId, id, endEpoch: 0 };
        if (envelope && (await insertRenewal(tx, memory, account.owner, envelope))) count += 1;
      }
      return count;
    });
    if (queued > 0) options.wakeUpload();
    const unreadable = envelopes.filter((envelope) => envelope === undefined).length;
    const about = { object_id: quilt.objectId, memories: queued, ...(unreadable > 0 ? { unreadable } : {}) };
    if (unreadable > 0) log.warn(about, 'a quilt with a forgotten memory cannot be left by all that live on');
    else log.info(about, 'what shares a quilt with a forgotten memory is stored anew');
    return unreadable === 0;
  }

  return startTaskLoop(pollMs, look, (error) =>
    log.warn({ err: error }, 'quilts with forgotten memories could not be packed anew; it is tried again'),
  );
}
