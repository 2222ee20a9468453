import pLimit from 'p-limit';
import type { Logger } from 'pino';
import type { Db } from '../../base/db/db.ts';
import type { BlobCache } from '../../blobs/blob-cache.ts';
import { saveEndEpochs } from '../../blobs/end-epochs.ts';
import { type BlobReads, isStored, lookFor } from '../../blobs/read-stored.ts';
import { bury, clearSuspicion, noteLook, postponeLook } from '../../jobs/rows/unreadable.ts';
import type { WatchedMemory } from '../../jobs/rows/watched-memories.ts';
import { insertRenewal } from '../rows/renewal-rows.ts';
import { askChain, type ChainSources } from './chain-word.ts';
import { nextLookInMs } from './next-look.ts';

export interface BlobLooks extends ChainSources {
  db: Db;
  aggregators: BlobReads;
  blobCache: BlobCache;
  /** How long a blob must have been gone before its memory is lost */
  graceMs: number;
  /** What is left in the cache of a blob that is gone is stored once more; false where nobody pays for renewals */
  storesAgain: boolean;
  log: Logger;
}

/** What became of the memories whose blobs were looked for; the rest is as it was. */
export interface LookResult {
  /** No aggregator has the blob */
  suspected: number;
  /** Suspected for long enough: lost from now on */
  lost: number;
  /** Was lost, and can be read again */
  found: number;
  /** Gone, or not paid for any more, but at hand: queued to be stored once more */
  storedAgain: number;
  /** No aggregator has it, but by the chain it is paid for */
  livesOnChain: number;
}

const readsAtOnce = 4;

interface Looked {
  memory: WatchedMemory;
  isThere: boolean;
  /** Kept only where it may be stored once more */
  bytes: Buffer | undefined;
  absentAt: number;
}

/**
 * Looks for the blobs of some memories, at most 1,000, and writes down what follows. A memory is lost only when every
 * aggregator says that it does not have the blob, the chain knows no object of it that lives, and that is so since the
 * grace began; one good read clears it. Aggregators that fail, or have other bytes, count for nothing. Throws when the
 * chain cannot be asked, and has changed nothing then.
 */
export async function lookAtBlobs(
  looks: BlobLooks,
  memories: readonly WatchedMemory[],
  epoch: number,
): Promise<LookResult> {
  const { db, log } = looks;
  const result: LookResult = { suspected: 0, lost: 0, found: 0, storedAgain: 0, livesOnChain: 0 };
  const isOver = ({ endEpoch }: WatchedMemory): boolean => endEpoch !== undefined && endEpoch <= epoch;
  const looked = await pLimit(readsAtOnce).map(memories, async (memory): Promise<Looked> => {
    const { bytes, absentAt } = await lookFor(looks.aggregators, memory);
    return { memory, isThere: bytes !== undefined, bytes: isOver(memory) ? bytes : undefined, absentAt };
  });
  const doubtful = looked.filter(({ memory, isThere, absentAt }) =>
    isThere ? isOver(memory) : absentAt > 0,
  );
  const ends = await askChain(
    looks,
    doubtful.map(({ memory }) => memory),
    epoch,
  );
  const endOf = ({ id }: WatchedMemory): number | undefined => ends.get(id);
  await saveEndEpochs(
    db,
    doubtful.flatMap(({ memory }) => {
      const endEpoch = endOf(memory);
      return endEpoch !== undefined && endEpoch > epoch ? [{ ...memory, endEpoch }] : [];
    }),
  );
  for (const { memory, isThere, bytes, absentAt } of looked) {
    if (isThere) await present(memory, bytes);
    else if (absentAt > 0) await absent(memory, absentAt);
    else if (memory.goneForMs !== undefined) await postponeLook(db, memory, nextLook(memory));
    else if (isOver(memory)) await noteLook(db, memory, 0, nextLook(memory));
  }
  return result;

  function nextLook({ goneForMs }: WatchedMemory): number {
    return nextLookInMs(goneForMs ?? 0, looks.graceMs);
  }

  async function present(memory: WatchedMemory, bytes: Buffer | undefined): Promise<void> {
    if ((memory.isLost || memory.goneForMs !== undefined) && (await clearSuspicion(db, memory)))
      result.found += 1;
    const end = endOf(memory);
    if (!isOver(memory) || (end !== undefined && end > epoch)) return;
    // Nobody pays for it any more: it goes when the store next cleans up, or with the last cache that has it
    if (end !== undefined) await storeAgain(memory, bytes);
    await noteLook(db, memory, 0, nextLook(memory));
  }

  async function absent(memory: WatchedMemory, absentAt: number): Promise<void> {
    const end = endOf(memory);
    if (!memory.isLost) result.suspected += 1;
    if (end !== undefined && end > epoch) {
      result.livesOnChain += 1;
      log.warn(
        { memory_id: memory.id, blob_id: memory.blobId, end_epoch: end },
        'no aggregator has a blob that is paid for',
      );
    } else if (end !== undefined && !(await storeAgainIfNotDeleted(memory)) && isDue(memory)) {
      const reason = isOver(memory) ? 'expired' : 'missing';
      if (await bury(db, memory, reason)) {
        result.lost += 1;
        log.error(
          { memory_id: memory.id, blob_id: memory.blobId, reason },
          'a memory is lost: its blob is gone',
        );
      }
    }
    await noteLook(db, memory, absentAt, nextLook(memory));
  }

  function isDue({ isLost, goneForMs }: WatchedMemory): boolean {
    return !isLost && goneForMs !== undefined && goneForMs >= looks.graceMs;
  }

  /** An object that is gone before its time was deleted by its owner, which is the owner's right. */
  async function storeAgainIfNotDeleted(memory: WatchedMemory): Promise<boolean> {
    return (isOver(memory) || memory.objectId === undefined) && storeAgain(memory);
  }

  /** From these bytes, or from the cache. False when there are none, or nobody pays for it. */
  async function storeAgain(memory: WatchedMemory, bytes?: Buffer): Promise<boolean> {
    if (!looks.storesAgain) return false;
    const envelope = bytes ?? (await looks.blobCache.getMany([memory.blobId]))[0];
    if (!envelope || !isStored(memory, envelope)) return false;
    const account = await looks.accounts.account(`0x${memory.accountId.toString('hex')}`);
    if (!account) return false;
    const endEpoch = Math.max(memory.endEpoch ?? 0, epoch);
    if (await insertRenewal(db, { ...memory, endEpoch }, account.owner, envelope)) result.storedAgain += 1;
    return true;
  }
}
