import { backoffMs } from '@memrelay/protocol/backoff';
import { limits } from '@memrelay/protocol/limits';
import { chunksOf } from './chunks.ts';
import { sleep } from './wire/abort.ts';
import { JobFailedError, JobTimeoutError, MemRelayError } from './wire/errors.ts';
import type { Reply } from './wire/request.ts';
import type {
  Job,
  JobOutcome,
  JobsWaitOptions,
  JobWaitOptions,
  StoredMemory,
  WaitOptions,
} from './wire/types.ts';

const defaultTimeoutMs = 120_000;
const firstDelayMs = 50;
/** 50 ms, growing to 2 s, each 20 % shorter or longer at random */
const backoff = { firstMs: 1.2 * firstDelayMs, maxMs: 2_400, factor: 1.6, jitter: 1 / 3 };
/** The last poll of a wait gets at least this long. */
const minPollMs = 250;

/** One poll; `timeoutMs` bounds its single attempt. */
export type Poll<T> = (timeoutMs: number) => Promise<Reply<T>>;

/**
 * Waits until one job ends and returns it. Throws `JobFailedError` when it failed, `JobTimeoutError` when it takes
 * longer than the caller waits, `job_not_found` when it does not exist.
 */
export async function waitForJob(
  id: string,
  poll: Poll<Job>,
  options: JobWaitOptions,
): Promise<StoredMemory> {
  let job: Job | undefined;
  const pollOnce = async (timeoutMs: number) => {
    const before = job;
    const reply = await poll(timeoutMs);
    job = reply.value;
    const changed =
      before?.status !== job.status || before.stage !== job.stage || before.attempts !== job.attempts;
    if (changed) options.onProgress?.(job);
    return { finished: job.status !== 'running', retryAfterMs: reply.retryAfterMs };
  };
  await pollUntilFinished(pollOnce, options, (timeoutMs, cause) => {
    return new JobTimeoutError([job ?? { jobId: id, status: 'running' }], timeoutMs, cause);
  });
  // The loop ended without throwing, so the job has finished.
  const finished = job as Job | undefined;
  if (finished?.status === 'done' && finished.blobId !== undefined) return finished as StoredMemory;
  throw finished?.status === 'failed'
    ? new JobFailedError(finished)
    : new MemRelayError('invalid_response', `The relayer reported job ${id} as done without its blob id.`);
}

/**
 * Waits until every job has ended, and returns one outcome per id, in order, duplicates kept. Failed and unknown
 * jobs are outcomes, not errors, so that one bad item hides no good one. Throws `JobTimeoutError`.
 */
export async function waitForJobs(
  ids: readonly string[],
  poll: (ids: readonly string[]) => Poll<JobOutcome[]>,
  options: JobsWaitOptions,
): Promise<JobOutcome[]> {
  const known = new Map<string, JobOutcome>(ids.map((id) => [id, { jobId: id, status: 'running' }]));
  const outcomes = () => ids.map((id) => known.get(id)!);
  if (ids.length === 0) return [];
  const pollOnce = async (timeoutMs: number) => {
    const open = [...known.values()].filter((job) => job.status === 'running').map((job) => job.jobId);
    let pause: number | undefined;
    let changed = false;
    for (const chunk of chunksOf(open, limits.bulkItems)) {
      const reply = await poll(chunk)(timeoutMs);
      pause = Math.max(pause ?? 0, reply.retryAfterMs ?? 0);
      for (const job of reply.value) {
        if (!known.has(job.jobId)) continue;
        changed ||= job.status !== 'running';
        known.set(job.jobId, job);
      }
    }
    if (changed) options.onProgress?.(outcomes());
    return { finished: outcomes().every((job) => job.status !== 'running'), retryAfterMs: pause };
  };
  await pollUntilFinished(
    pollOnce,
    options,
    (timeoutMs, cause) => new JobTimeoutError(outcomes(), timeoutMs, cause),
  );
  return outcomes();
}

/**
 * Polls quickly at first, because a local relayer is done in milliseconds, then less and less often; retries every
 * temporary error until the time is up.
 */
async function pollUntilFinished(
  pollOnce: (timeoutMs: number) => Promise<{ finished: boolean; retryAfterMs: number | undefined }>,
  options: WaitOptions,
  timeoutError: (timeoutMs: number, cause: unknown) => JobTimeoutError,
): Promise<void> {
  const timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
  const deadline = performance.now() + timeoutMs;
  const remaining = () => deadline - performance.now();
  let pause = Math.min(firstDelayMs, timeoutMs);
  for (let poll = 1; ; poll++) {
    await sleep(pause, options.signal);
    let retryAfterMs: number | undefined;
    let failure: unknown;
    try {
      const state = await pollOnce(Math.max(remaining(), minPollMs));
      if (state.finished) return;
      retryAfterMs = state.retryAfterMs;
    } catch (error) {
      if (!(error instanceof MemRelayError && error.retryable)) throw error;
      retryAfterMs = error.retryAfterMs;
      failure = error;
    }
    if (remaining() <= 0 || (retryAfterMs ?? 0) > remaining()) throw timeoutError(timeoutMs, failure);
    pause = Math.min(Math.max(backoffMs(poll, backoff), retryAfterMs ?? 0), remaining());
  }
}
