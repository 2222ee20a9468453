import pLimit from 'p-limit';
import type { Logger } from 'pino';
import type { Db } from '../../base/db/db.ts';
import type { BlobCache } from '../../blobs/blob-cache.ts';
import { saveEndEpochs } from '../../blobs/end-epochs.ts';
import { type BlobReads, isStored, lookFor } from '../../blobs/read-stored.ts';
import { bury, clearSuspicion, noteLook, postponeLook } from '../../jobs/queue/unreadable.ts';
import type { WatchedMemory } from '../../jobs/queue/watched-memories.ts';
import { insertRenewal } from '../rows/renewal-rows.ts';
import { type ChainExpiryParts, readExpiryEpochs } from './chain-expiry.ts';

export interface BlobCheckParts extends ChainExpiryParts {
  db: Db;
  aggregators: BlobReads;
  blobCache: BlobCache;
  /** How long a blob must have been gone before its memory is lost */
  graceMs: number;
  /** What is left in the cache of a blob that is gone is stored once more; false where nobody pays for renewals */
  storesAgain: boolean;
  log: Logger;
}

/** What became of the memories whose blobs were checks for; the rest is as it was. */
export interface BlobCheckResult {
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

const secondMs = 1_000;
const hourMs = 3_600 * secondMs;
const dayMs = 24 * hourMs;
const readsAtOnce = 4;

interface BlobCheck {
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
export async function checkBlobs(
  parts: BlobCheckParts,
  memories: readonly WatchedMemory[],
  epoch: number,
): Promise<BlobCheckResult> {
  const { db, log } = parts;
  const result: BlobCheckResult = { suspected: 0, lost: 0, found: 0, storedAgain: 0, livesOnChain: 0 };
  const isExpired = ({ endEpoch }: WatchedMemory): boolean => endEpoch !== undefined && endEpoch <= epoch;
  const checks = await pLimit(readsAtOnce).map(memories, async (memory): Promise<BlobCheck> => {
    const { bytes, absentAt } = await lookFor(parts.aggregators, memory);
    return { memory, isThere: bytes !== undefined, bytes: isExpired(memory) ? bytes : undefined, absentAt };
  });
  const doubtful = checks.filter(({ memory, isThere, absentAt }) =>
    isThere ? isExpired(memory) : absentAt > 0,
  );
  const expiryEpochs = await readExpiryEpochs(
    parts,
    doubtful.map(({ memory }) => memory),
    epoch,
  );
  const expiryEpochOf = ({ id }: WatchedMemory): number | undefined => expiryEpochs.get(id);
  await saveEndEpochs(
    db,
    doubtful.flatMap(({ memory }) => {
      const endEpoch = expiryEpochOf(memory);
      return endEpoch !== undefined && endEpoch > epoch ? [{ ...memory, endEpoch }] : [];
    }),
  );
  for (const { memory, isThere, bytes, absentAt } of checks) {
    if (isThere) await present(memory, bytes);
    else if (absentAt > 0) await absent(memory, absentAt);
    else if (memory.goneForMs !== undefined) await postponeLook(db, memory, nextCheck(memory));
    else if (isExpired(memory)) await noteLook(db, memory, 0, nextCheck(memory));
  }
  return result;

  function nextCheck({ goneForMs }: WatchedMemory): number {
    return nextCheckInMs(goneForMs ?? 0, parts.graceMs);
  }

  async function present(memory: WatchedMemory, bytes: Buffer | undefined): Promise<void> {
    if ((memory.isLost || memory.goneForMs !== undefined) && (await clearSuspicion(db, memory)))
      result.found += 1;
    const end = expiryEpochOf(memory);
    if (!isExpired(memory) || (end !== undefined && end > epoch)) return;
    // Nobody pays for it any more: it goes when the store next cleans up, or with the last cache that has it
    if (end !== undefined) await storeAgain(memory, bytes);
    await noteLook(db, memory, 0, nextCheck(memory));
  }

  async function absent(memory: WatchedMemory, absentAt: number): Promise<void> {
    const end = expiryEpochOf(memory);
    if (!memory.isLost) result.suspected += 1;
    if (end !== undefined && end > epoch) {
      result.livesOnChain += 1;
      log.warn(
        { memory_id: memory.id, blob_id: memory.blobId, end_epoch: end },
        'no aggregator has a blob that is paid for',
      );
    } else if (end !== undefined && !(await storeAgainIfNotDeleted(memory)) && isGraceOver(memory)) {
      const reason = isExpired(memory) ? 'expired' : 'missing';
      if (await bury(db, memory, reason)) {
        result.lost += 1;
        log.error(
          { memory_id: memory.id, blob_id: memory.blobId, reason },
          'a memory is lost: its blob is gone',
        );
      }
    }
    await noteLook(db, memory, absentAt, nextCheck(memory));
  }

  function isGraceOver({ isLost, goneForMs }: WatchedMemory): boolean {
    return !isLost && goneForMs !== undefined && goneForMs >= parts.graceMs;
  }

  /** An object that is gone before its time was deleted by its owner, which is the owner's right. */
  async function storeAgainIfNotDeleted(memory: WatchedMemory): Promise<boolean> {
    return (isExpired(memory) || memory.objectId === undefined) && storeAgain(memory);
  }

  /** From these bytes, or from the cache. False when there are none, or nobody pays for it. */
  async function storeAgain(memory: WatchedMemory, bytes?: Buffer): Promise<boolean> {
    if (!parts.storesAgain) return false;
    const envelope = bytes ?? (await parts.blobCache.getMany([memory.blobId]))[0];
    if (!envelope || !isStored(memory, envelope)) return false;
    const account = await parts.accounts.account(`0x${memory.accountId.toString('hex')}`);
    if (!account) return false;
    const endEpoch = Math.max(memory.endEpoch ?? 0, epoch);
    if (await insertRenewal(db, { ...memory, endEpoch }, account.owner, envelope)) result.storedAgain += 1;
    return true;
  }
}

/**
 * Delay in ms before the next check of a missing blob: half the time it has been missing, between 1 h and 24 h. During the
 * grace period the check is no later than its end; with a grace period below 1 h it is also the shortest delay.
 */
export function nextCheckInMs(goneForMs: number, graceMs: number): number {
  const pause = Math.min(Math.max(goneForMs / 2, Math.min(hourMs, graceMs)), dayMs);
  return Math.max(secondMs, goneForMs < graceMs ? Math.min(pause, graceMs - goneForMs) : pause);
}
