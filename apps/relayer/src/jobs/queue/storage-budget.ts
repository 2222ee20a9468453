import { ApiError } from '@memrelay/protocol/errors';
import { LRUCache } from 'lru-cache';
import type { Db } from '../../base/db/db.ts';
import { readStoredBytes } from '../rows/stored-bytes.ts';

/** Limits the bytes that one owner may store (RATE_LIMIT_STORAGE_BYTES). */
export interface StorageBudget {
  /**
   * Counts the bytes of envelopes that are about to be accepted. Throws `storage_limit_reached` if they do not fit; then
   * none is counted. 0 bytes: throws if the budget is used up.
   */
  admit(accountId: Buffer, bytes: number): Promise<void>;
}

interface Account {
  /** Bytes found by the last count, and those admitted here since */
  bytes: number;
  countedAt: number;
  countMs: number;
  counting: Promise<void> | undefined;
}

/** An empty account is counted once in this time, one that is nearly full once a second. */
const longestMs = 60_000;
const shortestMs = 1_000;
/** Minimum pause per millisecond of counting, so that counting takes at most a twentieth of the database's time. */
const restPerMs = 20;
/** Accounts whose bytes are remembered: a hundred bytes each */
const rememberedAccounts = 10_000;

/**
 * The bytes are read from the database at most once a minute, and more often near the limit; in between, those admitted
 * here are added. A refusal is preceded by a count that is at most a second old, or 20 times as old as the count takes.
 * Several relayers can together exceed the limit by what they admit between two counts.
 *
 * @param now monotonic clock in ms
 */
export function createStorageBudget(
  db: Db,
  maxBytes: number,
  now: () => number = () => performance.now(),
): StorageBudget {
  const accounts = new LRUCache<string, Account>({ max: rememberedAccounts });

  async function count(account: Account, accountId: Buffer): Promise<void> {
    const beganAt = now();
    account.bytes = await readStoredBytes(db, accountId);
    account.countedAt = now();
    account.countMs = account.countedAt - beganAt;
  }

  async function refresh(account: Account, accountId: Buffer, maxAgeMs: number): Promise<void> {
    if (now() - account.countedAt < Math.max(maxAgeMs, shortestMs, account.countMs * restPerMs)) return;
    account.counting ??= count(account, accountId).finally(() => {
      account.counting = undefined;
    });
    await account.counting;
  }

  function accountOf(accountId: Buffer): Account {
    const key = accountId.toString('hex');
    const known = accounts.get(key);
    if (known) return known;
    const account: Account = { bytes: 0, countedAt: -Infinity, countMs: 0, counting: undefined };
    accounts.set(key, account);
    return account;
  }

  return {
    async admit(accountId, bytes) {
      if (!Number.isFinite(maxBytes)) return;
      const account = accountOf(accountId);
      const fits = (): boolean => account.bytes + Math.max(bytes, 1) <= maxBytes;
      await refresh(account, accountId, longestMs * Math.max(0, 1 - account.bytes / maxBytes));
      // Memories may have been forgotten, or deduplicated, since
      if (!fits()) await refresh(account, accountId, 0);
      // No await from here on, so that of two concurrent calls the second sees the bytes of the first
      if (!fits())
        throw new ApiError('storage_limit_reached', {
          details: { limit_bytes: maxBytes, stored_bytes: account.bytes, bytes },
        });
      account.bytes += bytes;
    },
  };
}
