import { EventEmitter } from 'node:events';
import type { Tracing } from '@memrelay/process/tracing';
import { maxUploadAttempts } from '@memrelay/protocol/limits';
import type { Logger } from 'pino';
import type { AccountDirectory } from '../accounts/account-directory.ts';
import type { TaskLoop } from '../base/concurrency/task-loop.ts';
import type { Db } from '../base/db/db.ts';
import type { Metrics } from '../base/metrics/metrics.ts';
import type { BlobCache } from '../blobs/blob-cache.ts';
import type { SidecarClient } from '../sidecar/sidecar-client.ts';
import type { EmbedJobs } from './embed/embed-stage.ts';
import { createJobTraces } from './queue/job-traces.ts';
import { startStageLoop } from './queue/stage-loop.ts';
import {
  type ClaimedJob,
  claimInTurns,
  clearLeases,
  extendLeases,
  heartbeatSeconds,
  releaseLeases,
} from './rows/claim-jobs.ts';
import { wakeDuplicates } from './rows/duplicate-rows.ts';
import { extendWalletLeases, type WalletPool } from './rows/upload-wallets.ts';
import { withCompanions } from './upload/pack-quilt.ts';
import type { QuiltBounds } from './upload/quilt-bounds.ts';
import { uploadJobs } from './upload/upload-stage.ts';

/** Runs accepted jobs through embedding and upload. The rows are the queue, so no state exists only in this process. */
export interface Pipeline {
  /** Jobs were accepted that need embedding; these ones by the current request */
  wakeEmbedding(jobIds?: readonly string[]): void;
  /** Jobs were accepted that need only their upload; these ones by the current request */
  wakeUpload(jobIds?: readonly string[]): void;
  /** Resolves when the job has ended in this process, or after `timeoutMs`. Its row has the result. */
  finished(jobId: string, timeoutMs: number): Promise<void>;
  /** The process is about to end: no new work starts, and callers that wait here for a job to end stop waiting */
  readonly stopping: boolean;
  /** Starts no new work and waits for running work to end, for at most five seconds */
  drain(): Promise<void>;
  /**
   * Releases the jobs that are still running, so that another relayer takes them at once. Call it when the sidecar has ended
   * or is cut off: otherwise a relayer that takes over a running upload might pay for it again.
   */
  close(): Promise<void>;
}

export interface PipelineOptions {
  db: Db;
  accounts: Pick<AccountDirectory, 'account'>;
  sidecar: SidecarClient;
  blobCache: BlobCache;
  embedJobs: EmbedJobs;
  uploadConcurrency: number;
  storeEpochs: number;
  /** Undefined when a publisher pays for uploads */
  wallets: WalletPool | undefined;
  /** Undefined when no one wants alerts about uploads that were given up */
  alerts: Pick<TaskLoop, 'wake'> | undefined;
  quilts: QuiltBounds & {
    /** How long an upload waits for others that can go into the same quilt */
    windowMs: number;
  };
  metrics: Pick<Metrics, 'observe'>;
  tracing: Tracing;
  log: Logger;
}

const embedBatch = 32;
/** Claiming, finding near-duplicates and saving cost almost the same for one text as for ten */
const embedGatherMs = 20;
/** Together with the sidecar's own limit (run-sidecar.ts), this fits into Docker's default stop timeout of 10 seconds. */
const drainMs = 5_000;
/** Time for jobs whose call was just aborted to save their progress */
const abortedMs = 1_000;

export async function startPipeline(options: PipelineOptions): Promise<Pipeline> {
  const { db, log } = options;
  if (db.kind === 'pglite') await clearLeases(db);
  const ended = new EventEmitter<Record<string, []>>().setMaxListeners(0);
  const onError = (error: unknown): void =>
    log.error({ err: error }, 'a job loop failed; it continues at the next poll');

  const traces = createJobTraces(options.tracing);
  async function timed(
    stage: 'embedding' | 'uploading',
    jobs: readonly ClaimedJob[],
    work: () => Promise<void>,
  ): Promise<void> {
    const startedMs = performance.now();
    await traces.run(stage, jobs, work);
    const seconds = (performance.now() - startedMs) / 1000;
    options.metrics.observe('memrelay_job_stage_duration_seconds', { stage }, seconds);
  }

  let stopping = false;
  const uploadStage = { ...options, maxAttempts: maxUploadAttempts, isStopping: () => stopping };
  const uploads = startStageLoop<ClaimedJob>({
    // More uploads than wallets would only wait for each other
    concurrency: Math.min(options.uploadConcurrency, options.wallets?.size ?? options.uploadConcurrency),
    batchSize: 1,
    pollMs: 1_000,
    claim: claimUploads(db, options.quilts),
    async run(jobs) {
      await timed('uploading', jobs, () => uploadJobs(uploadStage, jobs));
      for (const { id } of jobs) ended.emit(id);
      if ((await wakeDuplicates(db, jobs)) > 0) embeddings.wake();
    },
    onError,
  });
  const embeddings = startStageLoop<ClaimedJob>({
    concurrency: 2,
    batchSize: embedBatch,
    pollMs: 1_000,
    gatherMs: embedGatherMs,
    claim: claimInTurns(db, 'embedding'),
    async run(jobs) {
      await timed('embedding', jobs, () => options.embedJobs(jobs));
      wakeUploads();
    },
    onError,
  });
  const { windowMs } = options.quilts;
  /** Wakes uploads once they have waited long enough for others */
  function wakeUploads(): void {
    if (windowMs > 0) setTimeout(uploads.wake, windowMs).unref();
    else uploads.wake();
  }
  const heartbeat = setInterval(() => {
    const tokens = [...uploads.tokens(), ...embeddings.tokens()];
    if (tokens.length === 0) return;
    extendLeases(db, tokens).catch(onError);
    if (options.wallets) extendWalletLeases(db, tokens).catch(onError);
  }, heartbeatSeconds * 1000);

  const stop = (graceMs: number) => Promise.all([embeddings.stop(graceMs), uploads.stop(graceMs)]);

  return {
    wakeEmbedding(jobIds = []) {
      traces.accepted(jobIds);
      embeddings.wake();
    },
    wakeUpload(jobIds = []) {
      traces.accepted(jobIds);
      wakeUploads();
    },
    finished(jobId, timeoutMs) {
      return new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          ended.off(jobId, done);
          resolve();
        };
        const timer = setTimeout(done, timeoutMs);
        ended.once(jobId, done);
      });
    },
    get stopping() {
      return stopping;
    },
    async drain() {
      stopping = true;
      for (const waiting of ended.eventNames()) ended.emit(waiting as string);
      await stop(drainMs);
    },
    async close() {
      stopping = true;
      await stop(abortedMs);
      clearInterval(heartbeat);
      const left = [...uploads.tokens(), ...embeddings.tokens()];
      if (left.length === 0) return;
      log.info({ batches: left.length }, 'releasing unfinished jobs');
      await releaseLeases(db, left).catch(onError);
      for (const token of left) await options.wallets?.release(token).catch(onError);
    },
  };
}

/** A job and the jobs stored in the same quilt. If another relayer is working on them, it tries the next job. */
function claimUploads(
  db: Db,
  quilts: PipelineOptions['quilts'],
): (limit: number, leaseToken: string) => Promise<ClaimedJob[]> {
  const claim = claimInTurns(db, 'uploading', quilts.windowMs);
  return async (limit, leaseToken) => {
    for (;;) {
      const [job] = await claim(limit, leaseToken);
      if (!job) return [];
      const jobs = await withCompanions(db, job, quilts);
      if (jobs.length > 0) return jobs;
    }
  };
}
