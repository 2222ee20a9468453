import { EventEmitter } from 'node:events';
import { maxUploadAttempts } from '@memrelay/protocol/limits';
import type { Logger } from 'pino';
import type { AccountDirectory } from '../accounts/account-directory.ts';
import type { TaskLoop } from '../base/concurrency/shared-task.ts';
import type { Db } from '../base/db/db.ts';
import type { BlobCache } from '../blobs/blob-cache.ts';
import type { SidecarClient } from '../sidecar/sidecar-client.ts';
import type { EmbedJobs } from './embed/embed-stage.ts';
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

/** Takes accepted jobs through embedding and upload; the rows are the queue, so nothing lives only here. */
export interface Pipeline {
  /** Jobs were accepted that need embedding */
  wakeEmbedding(): void;
  /** Jobs were accepted that need only their upload */
  wakeUpload(): void;
  /** Resolves when the job ended here, or after `timeoutMs`. The row tells how. */
  finished(jobId: string, timeoutMs: number): Promise<void>;
  /** The process is about to end: nothing new is begun, and what waits for the end of a job here waits no longer */
  readonly stopping: boolean;
  /** Begins nothing new and lets what is under way end, for at most five seconds */
  drain(): Promise<void>;
  /**
   * Hands back what is still under way, so that another relayer takes it at once. To be called when the sidecar has ended
   * or is cut off: whoever takes over an upload that goes on might pay for it again.
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
  /** Undefined when nobody wants to be told of uploads that were given up */
  alerts: Pick<TaskLoop, 'wake'> | undefined;
  quilts: QuiltBounds & {
    /** An upload waits so long for others that go with it */
    windowMs: number;
  };
  log: Logger;
}

const embedBatch = 32;
/** With what the sidecar then has (run-sidecar.ts) it fits into the 10 seconds that Docker gives, if nothing else is said. */
const drainMs = 5_000;
/** For those whose call has just broken off to write down where they stand */
const lastWordMs = 1_000;

export async function startPipeline(options: PipelineOptions): Promise<Pipeline> {
  const { db, log } = options;
  if (db.kind === 'pglite') await clearLeases(db);
  const ended = new EventEmitter<Record<string, []>>().setMaxListeners(0);
  const onError = (error: unknown): void =>
    log.error({ err: error }, 'a job loop failed; it goes on at the next poll');

  let stopping = false;
  const uploadStage = { ...options, maxAttempts: maxUploadAttempts, isStopping: () => stopping };
  const uploads = startStageLoop<ClaimedJob>({
    // More than there are wallets would only wait for each other
    concurrency: Math.min(options.uploadConcurrency, options.wallets?.size ?? options.uploadConcurrency),
    batchSize: 1,
    pollMs: 1_000,
    claim: claimUploads(db, options.quilts),
    async run(jobs) {
      await uploadJobs(uploadStage, jobs);
      for (const { id } of jobs) ended.emit(id);
      if ((await wakeDuplicates(db, jobs)) > 0) embeddings.wake();
    },
    onError,
  });
  const embeddings = startStageLoop<ClaimedJob>({
    concurrency: 2,
    batchSize: embedBatch,
    pollMs: 1_000,
    claim: claimInTurns(db, 'embedding'),
    async run(jobs) {
      await options.embedJobs(jobs);
      wakeUploads();
    },
    onError,
  });
  const { windowMs } = options.quilts;
  /** When their time to wait for others is over */
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
    wakeEmbedding: embeddings.wake,
    wakeUpload: wakeUploads,
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
      await stop(lastWordMs);
      clearInterval(heartbeat);
      const left = [...uploads.tokens(), ...embeddings.tokens()];
      if (left.length === 0) return;
      log.info({ batches: left.length }, 'work that is not finished is handed back');
      await releaseLeases(db, left).catch(onError);
      for (const token of left) await options.wallets?.release(token).catch(onError);
    },
  };
}

/** A job and those that are stored with it. Where another relayer is at them, the next one is looked for. */
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
