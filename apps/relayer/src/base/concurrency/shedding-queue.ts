import { ApiError } from '@memrelay/protocol/errors';
import { createLoopLag, type LoopLag } from './loop-lag.ts';

/** Work of one account, named by the key that requested it. */
export interface Sheddable {
  accountId: string;
  publicKey: string;
}

/**
 * A bound on work in progress that refuses work which has waited too long, so that a server with more work than it can do
 * does some of it in time instead of all of it late. Accounts take turns.
 */
export interface SheddingQueue {
  /** Throws `overloaded` if the work waited too long; then it was not begun. */
  run<T>(who: Sheddable, work: () => Promise<T>): Promise<T>;
  /**
   * True while work that this key requested has waited too long, so that more of it would be refused too, and while the
   * event loop is so late that all work waits too long for it.
   */
  isOverdue(publicKey: string): boolean;
  /** Refuses all that waits */
  close(): void;
}

export interface SheddingOptions {
  /** Work in progress */
  slots: number;
  /** Monotonic clock in ms */
  now?: () => number;
  lag?: LoopLag;
}

/** The longest wait after a time without waiting: a burst is served */
export const burstWaitMs = 250;
/** The longest wait of an account that has had waiting work for longer than `burstMs` */
export const standingWaitMs = 20;
export const burstMs = 250;
/** The longest lag of the event loop: a few hundred requests at once cause about 200 ms */
export const longestLagMs = 400;
const retryAfter = 1;

interface Waiting {
  publicKey: string;
  sinceMs: number;
  start(): void;
  refuse(reason: unknown): void;
}

interface Account {
  /** When its queue was last empty */
  emptyMs: number;
  queue: Waiting[];
}

/** The rule is that of CoDel (RFC 8289, 3.2), with a limit on the wait instead of a growing rate of refusals. */
export function createSheddingQueue(options: SheddingOptions): SheddingQueue {
  const { slots, now = () => performance.now(), lag = createLoopLag() } = options;
  /** Accounts with waiting work; the first is next */
  const ring = new Map<string, Account>();
  let running = 0;

  const overloaded = (): ApiError => new ApiError('overloaded', { retryAfter });

  function isTooLate({ emptyMs, queue: [first] }: Account, nowMs: number): boolean {
    const longest = nowMs - emptyMs > burstMs ? standingWaitMs : burstWaitMs;
    return first !== undefined && nowMs - first.sinceMs > longest;
  }

  /** Takes the next work that has not waited too long, and refuses what has. */
  function next(): Waiting | undefined {
    const nowMs = now();
    for (const [accountId, account] of ring) {
      while (isTooLate(account, nowMs)) account.queue.shift()!.refuse(overloaded());
      const found = account.queue.shift();
      ring.delete(accountId);
      if (account.queue.length > 0) ring.set(accountId, account);
      if (found) return found;
    }
    return undefined;
  }

  function startWaiting(): void {
    while (running < slots) {
      const waiting = next();
      if (!waiting) return;
      running += 1;
      waiting.start();
    }
  }

  function turn({ accountId, publicKey }: Sheddable): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sinceMs = now();
    const account = ring.get(accountId) ?? { emptyMs: sinceMs, queue: [] };
    account.queue.push({ publicKey, sinceMs, start: resolve, refuse: reject });
    ring.set(accountId, account);
    startWaiting();
    return promise;
  }

  return {
    async run(who, work) {
      await turn(who);
      try {
        return await work();
      } finally {
        running -= 1;
        startWaiting();
      }
    },
    isOverdue(publicKey) {
      const nowMs = now();
      if (lag.measure() > longestLagMs) return true;
      for (const account of ring.values())
        if (isTooLate(account, nowMs) && account.queue.some((waiting) => waiting.publicKey === publicKey))
          return true;
      return false;
    },
    close() {
      for (const { queue } of ring.values()) for (const { refuse } of queue) refuse(overloaded());
      ring.clear();
    },
  };
}
