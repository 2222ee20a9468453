import { limits } from '@memrelay/protocol/limits';
import { MemRelayError } from '@memrelay/sdk/errors';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import type { JobOutcome } from '@memrelay/sdk/types';

/** Every poll is a signed request that costs the relayer a nonce, so a slow relayer is polled less often. */
const shortestPauseMs = 200;
const longestPauseMs = 1_000;
/** After this many polls, a job that is still running (it may wait for its next attempt) is polled after the others. */
const pollsAtFront = 20;

/** Polls jobs until they end, while more jobs are still being added. */
export interface JobFollower {
  add(jobIds: readonly string[]): void;
  /** Resolves when every job added has ended, after `noMore` was called */
  readonly finished: Promise<void>;
  noMore(): void;
}

/** Counts a job that has ended, as stored or as known before. Returns false for one that failed or is unknown. */
export function countStored(counts: { stored: number; known: number }, job: JobOutcome): boolean {
  if (job.status !== 'done') return false;
  counts.stored++;
  if (job.deduplicated) counts.known++;
  return true;
}

/**
 * `onEnd` is called once for every job, done, failed or unknown. Rejects when the relayer refuses or `signal` is
 * aborted.
 */
export function followJobs(
  client: MemRelay,
  onEnd: (job: JobOutcome) => void,
  signal: AbortSignal,
): JobFollower {
  /** Unfinished jobs, about in the order in which they will end, with the polls they have seen */
  const open = new Map<string, number>();
  let complete = false;
  let wake = Promise.withResolvers<void>();
  const aborted = rejectOn(signal);
  aborted.catch(() => undefined);

  /** Polls the oldest jobs; returns true when all of them have ended, so that the next ones can be polled. */
  async function round(): Promise<boolean> {
    const oldest = [...open.keys()].slice(0, limits.bulkItems);
    for (const job of await client.jobs(oldest, { signal })) {
      const polls = (open.get(job.jobId) ?? 0) + 1;
      if (job.status !== 'running') {
        if (open.delete(job.jobId)) onEnd(job);
      } else {
        if (polls % pollsAtFront === 0) open.delete(job.jobId);
        open.set(job.jobId, polls);
      }
    }
    return oldest.every((id) => !open.has(id));
  }

  async function run(): Promise<void> {
    let delay = shortestPauseMs;
    while (!complete || open.size > 0) {
      if (open.size === 0) {
        await Promise.race([wake.promise, aborted]);
        wake = Promise.withResolvers();
        continue;
      }
      const before = open.size;
      if (await roundOrTrouble()) continue;
      delay = open.size < before ? shortestPauseMs : Math.min(delay * 1.5, longestPauseMs);
      await Promise.race([new Promise((resolve) => setTimeout(resolve, delay)), aborted]);
    }
  }

  /** Jobs continue whether or not they are watched, so temporary errors are retried. */
  async function roundOrTrouble(): Promise<boolean> {
    try {
      return await round();
    } catch (error) {
      if (error instanceof MemRelayError && error.retryable && error.code !== 'network_error') return false;
      throw error;
    }
  }

  const finished = run();
  // Awaited by the caller later; a failure before that is not unhandled.
  finished.catch(() => undefined);
  return {
    add(jobIds) {
      for (const id of jobIds) open.set(id, 0);
      wake.resolve();
    },
    noMore() {
      complete = true;
      wake.resolve();
    },
    finished,
  };
}

function rejectOn(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
