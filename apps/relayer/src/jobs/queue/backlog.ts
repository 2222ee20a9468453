import { ApiError } from '@memrelay/protocol/errors';
import { LRUCache } from 'lru-cache';
import type { Db } from '../../base/db/db.ts';
import { countWaiting } from '../rows/claim-jobs.ts';

export interface BacklogLimits {
  /** Jobs of one account that may be running; Infinity for any number */
  perAccount: number;
  /** Jobs of all accounts together that may be running; Infinity for any number */
  inAll: number;
}

/** Limits the jobs that wait to be embedded and stored to what a server can hold. */
export interface Backlog {
  /** Reserves room for this number of jobs of an account. Throws `overloaded` when there is no room: then none is accepted. */
  admit(accountId: Buffer, jobs: number): Promise<void>;
}

/** Embedding takes about a second, an upload several: an earlier retry would probably fail. */
const retryAfterSeconds = 5;
const freshMs = 1_000;
/** A count that is this much older is still used while it is repeated. */
const graceMs = 1_000;
/** Minimum pause per millisecond of counting, so that counting takes at most a twentieth of the database's time. */
const restPerMs = 20;
/** Accounts whose count is remembered: a hundred bytes each */
const rememberedAccounts = 10_000;

/**
 * A limit on a job count. The count is read from the database about once a second while it is in use, plus the jobs
 * admitted here since. The limit can be exceeded by the jobs that other relayers admit in that time and by those not yet
 * committed when they are counted.
 */
function bounded(limit: number, count: () => Promise<number>) {
  let jobs = 0;
  let staleAt = -graceMs;
  let counting: Promise<void> | undefined;
  async function recount(): Promise<void> {
    const began = performance.now();
    jobs = await count();
    const now = performance.now();
    staleAt = now + Math.max(freshMs, (now - began) * restPerMs);
  }
  const holds = (more: number): boolean => jobs + more <= limit;
  return {
    /** Waits for a count only if the last one is old, or leaves no room. */
    async refresh(more: number): Promise<void> {
      const now = performance.now();
      if (now < staleAt) return;
      counting ??= recount().finally(() => {
        counting = undefined;
      });
      const isUsable = now < staleAt + graceMs && holds(more);
      if (isUsable) counting.catch(() => undefined);
      else await counting;
    },
    holds,
    add(more: number): void {
      jobs += more;
    },
  };
}

export function createBacklog(db: Db, limits: BacklogLimits): Backlog {
  const all = bounded(limits.inAll, () => countWaiting(db, limits.inAll));
  const accounts = new LRUCache<string, ReturnType<typeof bounded>>({ max: rememberedAccounts });

  function ofAccount(accountId: Buffer): ReturnType<typeof bounded> {
    const key = accountId.toString('hex');
    const known = accounts.get(key);
    if (known) return known;
    const account = bounded(limits.perAccount, () => countWaiting(db, limits.perAccount, accountId));
    accounts.set(key, account);
    return account;
  }

  return {
    async admit(accountId, jobs) {
      const bounds = [
        ...(Number.isFinite(limits.perAccount) ? [ofAccount(accountId)] : []),
        ...(Number.isFinite(limits.inAll) ? [all] : []),
      ];
      await Promise.all(bounds.map((bound) => bound.refresh(jobs)));
      // No await from here on, so that of two concurrent calls the second sees the jobs of the first
      if (!bounds.every((bound) => bound.holds(jobs)))
        throw new ApiError('overloaded', { retryAfter: retryAfterSeconds });
      for (const bound of bounds) bound.add(jobs);
    },
  };
}
