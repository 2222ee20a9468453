import pLimit from 'p-limit';
import type { Logger } from 'pino';
import type { Db } from '../../base/db/db.ts';
import type { BlobCache } from '../../blobs/blob-cache.ts';
import { type BlobReads, findStored, isStored } from '../../blobs/read-stored.ts';
import { saveEndEpochs } from '../../blobs/rows/end-epochs.ts';
import { clearSuspicion, markLost, postponeBlobCheck, saveBlobCheck } from '../../jobs/rows/unreadable.ts';
import type { WatchedMemory } from '../../jobs/rows/watched-memories.ts';
import { insertRenewal } from '../rows/renewal-rows.ts';
import { type ChainExpiryParts, readExpiryEpochs } from './chain-expiry.ts';

export interface BlobCheckParts extends ChainExpiryParts {
  db: Db;
  aggregators: BlobReads;
  blobCache: BlobCache;
  /** Grace period: how long a blob must be missing before its memory is marked lost */
  graceMs: number;
  /** If a missing blob is still cached, store it again. False when no wallet pays for renewals */
  storesAgain: boolean;
  log: Logger;
}

/** How many memories changed state; the others are unchanged. */
export interface BlobCheckResult {
  /** No aggregator has the blob */
  suspected: number;
  /** Missing for the whole grace period: marked lost */
  lost: number;
  /** Was suspected or lost, and can be read again */
  found: number;
  /** Missing or expired, but the bytes were available: queued to be stored again */
  storedAgain: number;
  /** No aggregator has it, but a live object on chain pays for it */
  livesOnChain: number;
}

const secondMs = 1_000;
const hourMs = 3_600 * secondMs;
const dayMs = 24 * hourMs;
const readsAtOnce = 4;

interface BlobCheck {
  memory: WatchedMemory;
  isThere: boolean;
  /** Kept only if it may be stored again */
  bytes: Buffer | undefined;
  absentAt: number;
}

/**
 * Checks whether the blobs of up to 1,000 memories still exist and updates their state. A memory is marked lost only if
 * every aggregator has reported the blob missing and the chain has had no live object for it throughout the grace
 * period. One successful read clears the suspicion. Aggregators that fail or return different bytes are ignored.
 * Throws, without changing anything, if the chain is unreachable.
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
    const { bytes, absentAt } = await findStored(parts.aggregators, memory);
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
    else if (memory.goneForMs !== undefined) await postponeBlobCheck(db, memory, nextCheck(memory));
    else if (isExpired(memory)) await saveBlobCheck(db, memory, 0, nextCheck(memory));
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
    // No object pays for it any more: it disappears when the store next cleans up, or with the last cache that has it
    if (end !== undefined) await storeAgain(memory, bytes);
    await saveBlobCheck(db, memory, 0, nextCheck(memory));
  }

  async function absent(memory: WatchedMemory, absentAt: number): Promise<void> {
    const end = expiryEpochOf(memory);
    if (!memory.isLost) result.suspected += 1;
    if (end !== undefined && end > epoch) {
      result.livesOnChain += 1;
      log.warn(
        { memory_id: memory.id, blob_id: memory.blobId, end_epoch: end },
        'no aggregator has a blob that has a live object on chain',
      );
    } else if (end !== undefined && !(await storeAgainIfNotDeleted(memory)) && isGraceOver(memory)) {
      const reason = isExpired(memory) ? 'expired' : 'missing';
      if (await markLost(db, memory, reason)) {
        result.lost += 1;
        log.error(
          { memory_id: memory.id, blob_id: memory.blobId, reason },
          'memory lost: its blob is missing',
        );
      }
    }
    await saveBlobCheck(db, memory, absentAt, nextCheck(memory));
  }

  function isGraceOver({ isLost, goneForMs }: WatchedMemory): boolean {
    return !isLost && goneForMs !== undefined && goneForMs >= parts.graceMs;
  }

  /** An object that is missing before it expires was deleted by its owner, so its blob must not be stored again. */
  async function storeAgainIfNotDeleted(memory: WatchedMemory): Promise<boolean> {
    return (isExpired(memory) || memory.objectId === undefined) && storeAgain(memory);
  }

  /** Stores these bytes again, or those in the cache. False if there are none, or no wallet pays for it. */
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
 * Delay in ms before the next check of a missing blob: half the time it has been missing, between 1 h and 24 h. During
 * the grace period the check is no later than its end; with a grace period below 1 h it is also the shortest delay.
 */
export function nextCheckInMs(goneForMs: number, graceMs: number): number {
  const pause = Math.min(Math.max(goneForMs / 2, Math.min(hourMs, graceMs)), dayMs);
  return Math.max(secondMs, goneForMs < graceMs ? Math.min(pause, graceMs - goneForMs) : pause);
}
