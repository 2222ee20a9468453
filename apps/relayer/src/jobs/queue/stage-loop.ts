import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { outsideRequests } from '@memrelay/process/request-scope';

/** Claims batches of due work and runs a bounded number of them at once. */
export interface StageLoop {
  /** Work may be due: look now instead of at the next poll */
  wake(): void;
  /** Lease tokens of the batches under way */
  tokens(): string[];
  /** Takes no more work and waits for running work, at most `graceMs` */
  stop(graceMs: number): Promise<void>;
}

export interface StageLoopOptions<Job> {
  /** Batches at once, and jobs in one batch */
  concurrency: number;
  batchSize: number;
  /** Backstop for a wake-up that was missed and for retries that become due */
  pollMs: number;
  /**
   * Minimum time between two claims, unless the last one was full. The first job after a pause is claimed at once; under
   * load, a batch takes what arrived in between, instead of one job each. Default 0
   */
  gatherMs?: number;
  claim(limit: number, leaseToken: string): Promise<Job[]>;
  /** Must not throw: a job's error is saved in its row */
  run(jobs: Job[]): Promise<void>;
  onError(error: unknown): void;
}

export function startStageLoop<Job>(options: StageLoopOptions<Job>): StageLoop {
  const { gatherMs = 0 } = options;
  const active = new Map<string, Promise<void>>();
  let nextClaimMs = 0;
  let claiming = false;
  let claims: Promise<void> | undefined;
  let again = false;
  let stopped = false;

  function pump(): void {
    again = true;
    if (!claiming) claims = claimAll().catch(options.onError);
  }

  async function claimAll(): Promise<void> {
    claiming = true;
    try {
      while (again && !stopped) {
        again = false;
        while (!stopped && active.size < options.concurrency) {
          const early = nextClaimMs - performance.now();
          if (early > 0) {
            await wait(early, undefined, { ref: false });
            continue;
          }
          again = false;
          nextClaimMs = performance.now() + gatherMs;
          const token = randomUUID();
          const jobs = await options.claim(options.batchSize, token);
          if (jobs.length === 0) break;
          const running = options
            .run(jobs)
            .catch(options.onError)
            .finally(() => {
              active.delete(token);
              pump();
            });
          active.set(token, running);
          // Fewer than requested: there are no more, so the next wake-up looks again
          if (jobs.length < options.batchSize) break;
          nextClaimMs = 0;
        }
      }
    } finally {
      claiming = false;
    }
  }

  const timer = setInterval(pump, options.pollMs);
  pump();
  return {
    wake: outsideRequests(pump),
    tokens: () => [...active.keys()],
    async stop(graceMs) {
      stopped = true;
      clearInterval(timer);
      const grace = new Promise((resolve) => setTimeout(resolve, graceMs).unref());
      // Jobs that are being claimed right now become leased, so they are run too
      const ended = Promise.resolve(claims).then(() => Promise.allSettled(active.values()));
      await Promise.race([ended, grace]);
    },
  };
}
