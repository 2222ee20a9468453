/**
 * Which calls are retried, and how.
 *
 * Retried, because the same call may succeed a moment later:
 * - no response: the connection was refused or dropped, or the attempt took longer than `timeoutMs`
 * - 429, and every code that the relayer's catalogue marks as retryable (overloaded, auth_unavailable, …)
 * - 408, 429, 502, 503, 504 without a known code, as returned by proxies
 * - nonce_replayed: the network or a proxy delivered the request twice; the next attempt has a new nonce
 *
 * Not retried: every other 4xx, 500, 503 llm_not_configured, a response that is malformed or for another account, an abort by
 * the caller.
 *
 * All methods are retried, including writes: `remember`, `rememberBulk`, `replace` and `rememberManual` send an
 * `idempotency-key`, one per call and the same for all its attempts, so that a retry after a lost response
 * stores nothing twice. Every attempt is signed separately, with its own nonce and timestamp.
 *
 * At most `maxAttempts` (4) are made within `deadlineMs` (60 s). Those that ended with 429 and `Retry-After` do not count,
 * unless `maxAttempts` is 1: the relayer says when it has room, and several calls of one key compete for it. The wait between attempts is 250 ms, doubled each time up
 * to 8 s, of which the second half is random. If `Retry-After` is longer, the wait is that plus up to 250 ms at random, so
 * that clients do not all return at once. If a wait would pass the deadline, the last error is thrown immediately, with
 * `retryAfterMs`.
 *
 * In addition, there is one more attempt if the relayer rejects a timestamp or a session and its `Date` header shows that the
 * local clock is wrong (request.ts). Waiting for jobs has its own loop (polling.ts).
 */

import { backoffMs } from '@memrelay/protocol/backoff';
import { mayRetry } from '@memrelay/protocol/retryable-answers';
import { sleep } from './abort.ts';
import { MemRelayError } from './errors.ts';

export interface RetryPolicy {
  maxAttempts: number;
  /** All attempts together, milliseconds */
  deadlineMs: number;
  /** One attempt, milliseconds */
  timeoutMs: number;
}

const backoff = { firstMs: 250, maxMs: 8_000 };

/** Whether an answer with this status and code is worth another attempt. */
export function isRetryable(status: number, code: string): boolean {
  return code === 'nonce_replayed' || mayRetry(status, code);
}

/** Milliseconds from a `Retry-After` header (seconds or an HTTP date), if there is a valid one. */
export function retryAfterMs(header: string | null): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** Runs `attempt(timeoutMs)` under the policy. */
export async function withRetries<T>(
  attempt: (timeoutMs: number) => Promise<T>,
  policy: RetryPolicy,
  signal: AbortSignal | undefined,
): Promise<T> {
  const deadline = performance.now() + policy.deadlineMs;
  let left = policy.maxAttempts;
  for (let number = 1; ; number++) {
    try {
      return await attempt(Math.min(policy.timeoutMs, deadline - performance.now()));
    } catch (error) {
      if (!(error instanceof MemRelayError) || !error.retryable) throw error;
      const isTold = error.status === 429 && error.retryAfterMs !== undefined && policy.maxAttempts > 1;
      if (!isTold) left -= 1;
      if (left === 0) throw error;
      const delay = delayBefore(number, error.retryAfterMs);
      if (performance.now() + delay >= deadline) throw error;
      await sleep(delay, signal);
    }
  }
}

function delayBefore(retry: number, requestedMs: number | undefined): number {
  const delay = backoffMs(retry, backoff);
  return requestedMs !== undefined && requestedMs > delay ? requestedMs + Math.random() * 250 : delay;
}
