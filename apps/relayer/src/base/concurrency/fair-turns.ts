import { ApiError } from '@memrelay/protocol/errors';

export interface FairTurnsOptions {
  /** Units (bytes, or calls) that may be in use at once; one account may use a quarter of them */
  total: number;
  /** Longest wait in milliseconds; by default only the signal of a claim ends it */
  waitMs?: number;
  /** What waiting claims may hold in all (the sum of `held`), a quarter of it for one account; unbounded by default */
  maxHeld?: number;
}

export interface Claim {
  accountId: string;
  /** What the work uses. A claim above the account's share runs when the account uses nothing else. */
  units: number;
  /** What the claim costs while it waits, in the unit of `maxHeld`; default 1 */
  held?: number;
  /** Leaves the queue when this aborts */
  signal?: AbortSignal | undefined;
}

/** A bound on work in progress that accounts share: each has at most a quarter, and accounts that wait take turns. */
export interface FairTurns {
  /**
   * Resolves when it is the account's turn. The returned function gives the units back; calling it twice is harmless.
   * Rejects with `overloaded` when the queue is full or the wait too long, and with the signal's reason when that aborts.
   */
  enter(claim: Claim): Promise<() => void>;
  run<T>(claim: Claim, work: () => Promise<T>): Promise<T>;
  /** Rejects all waiting claims */
  close(): void;
  /** Units in use, and claims that wait */
  readonly state: { inUse: number; waiting: number };
}

interface Waiter {
  units: number;
  held: number;
  start(leave: () => void): void;
  refuse(reason: unknown): void;
}

interface Account {
  used: number;
  held: number;
  waiting: Waiter[];
}

/** One account's part of every bound */
const share = 4;
const retryAfter = 2;

export function createFairTurns(options: FairTurnsOptions): FairTurns {
  const { total, waitMs, maxHeld = Infinity } = options;
  const ownTotal = Math.max(1, Math.floor(total / share));
  const ownHeld = Math.max(1, Math.floor(maxHeld / share));
  const accounts = new Map<string, Account>();
  /** Accounts with waiting claims; the first has waited longest for its turn */
  const ring = new Map<string, Account>();
  let inUse = 0;
  let held = 0;

  const overloaded = (): ApiError => new ApiError('overloaded', { retryAfter });

  function accountOf(id: string): Account {
    const known = accounts.get(id) ?? { used: 0, held: 0, waiting: [] };
    accounts.set(id, known);
    return known;
  }

  function dropIdle(id: string, account: Account): void {
    if (account.waiting.length === 0) ring.delete(id);
    if (account.waiting.length === 0 && account.used === 0) accounts.delete(id);
  }

  function remove(id: string, account: Account, waiter: Waiter): void {
    account.waiting.splice(account.waiting.indexOf(waiter), 1);
    account.held -= waiter.held;
    held -= waiter.held;
    dropIdle(id, account);
  }

  /** Starts the first claim that may run; false when there is none. */
  function startNext(): boolean {
    for (const [id, account] of ring) {
      const waiter = account.waiting[0]!;
      if (account.used > 0 && account.used + waiter.units > ownTotal) continue;
      // It is next and only lacks room: smaller claims behind it must not keep overtaking it
      if (inUse > 0 && inUse + waiter.units > total) return false;
      account.used += waiter.units;
      inUse += waiter.units;
      remove(id, account, waiter);
      if (ring.delete(id)) ring.set(id, account);
      let left = false;
      waiter.start(() => {
        if (left) return;
        left = true;
        account.used -= waiter.units;
        inUse -= waiter.units;
        dropIdle(id, account);
        startAll();
      });
      return true;
    }
    return false;
  }

  function startAll(): void {
    while (startNext());
  }

  /** In a full queue, the account that holds most of it gives up its newest claim for one of an account that holds less. */
  function makeRoom(account: Account): boolean {
    while (held > maxHeld) {
      const [id, largest] = [...ring].reduce((a, b) => (b[1].held > a[1].held ? b : a));
      if (largest.held <= account.held) return false;
      const newest = largest.waiting.at(-1)!;
      remove(id, largest, newest);
      newest.refuse(overloaded());
    }
    return true;
  }

  function enter({ accountId, units, held: cost = 1, signal }: Claim): Promise<() => void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const account = accountOf(accountId);
    const end = (reason: unknown): void => {
      if (!account.waiting.includes(waiter)) return;
      remove(accountId, account, waiter);
      waiter.refuse(reason);
      // It may have blocked the claims behind it
      startAll();
    };
    const onAbort = (): void => end(signal?.reason);
    const timer = waitMs === undefined ? undefined : setTimeout(() => end(overloaded()), waitMs);
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    const waiter: Waiter = {
      units: Math.min(Math.max(1, units), total),
      held: cost,
      start(leave) {
        settle();
        resolve(leave);
      },
      refuse(reason) {
        settle();
        reject(reason);
      },
    };
    account.waiting.push(waiter);
    account.held += cost;
    held += cost;
    ring.set(accountId, account);
    signal?.addEventListener('abort', onAbort);
    startAll();
    if (account.waiting.includes(waiter) && (account.held > ownHeld || !makeRoom(account))) end(overloaded());
    return promise;
  }

  return {
    enter,
    async run(claim, work) {
      const leave = await enter(claim);
      try {
        return await work();
      } finally {
        leave();
      }
    },
    close() {
      for (const [id, account] of [...ring])
        for (const waiter of [...account.waiting]) {
          remove(id, account, waiter);
          waiter.refuse(overloaded());
        }
    },
    get state() {
      return { inUse, waiting: [...ring.values()].reduce((sum, { waiting }) => sum + waiting.length, 0) };
    },
  };
}
