import { parseHeader } from '@memrelay/envelope/header';
import type { TaskLoop } from '../../base/concurrency/task-loop.ts';
import type { Db } from '../../base/db/db.ts';
import type { BlobCache } from '../../blobs/blob-cache.ts';
import { retryDelayMs } from '../queue/backoff.ts';
import { settleDuplicate } from '../queue/settle-duplicate.ts';
import type { UploadDetail } from '../rows/alert-outbox.ts';
import type { ClaimedJob } from '../rows/claim-jobs.ts';
import { LeaseLostError, saveFailed, savePostponed, saveRetry } from '../rows/save-progress.ts';
import {
  forgottenAmong,
  saveLateBlob,
  saveQuiltUploaded,
  saveUploaded,
  type UploadedBlob,
  unpackQuilt,
} from '../rows/save-stored.ts';
import { attemptUpload, type Jobs, type UploadParts } from './upload-attempt.ts';
import { type OwnerParts, presentOwner } from './upload-owner.ts';

/** Retry delay when the chain does not respond */
const ownerPauseMs = 2_000;

interface UploadStage extends UploadParts, OwnerParts {
  blobCache: BlobCache;
  maxAttempts: number;
  /** Posts what is written to the outbox of alerts; undefined when no one wants alerts */
  alerts: Pick<TaskLoop, 'wake'> | undefined;
  /** The process is about to end and aborts running calls */
  isStopping: () => boolean;
  sidecar: UploadParts['sidecar'] & OwnerParts['sidecar'];
}

/**
 * One attempt at storing a job's envelope, or those of several as one quilt; the result is in the rows afterwards.
 * Does not throw.
 */
export async function uploadJobs(stage: UploadStage, jobs: readonly ClaimedJob[]): Promise<void> {
  const { db, log } = stage;
  const [job] = jobs as Jobs;
  const about = { job_id: job.id, ...(jobs.length > 1 ? { jobs: jobs.length, quilt: job.quiltId } : {}) };
  try {
    // When a job is retried, another may have stored its text in the meantime
    const known = { model: undefined, readable: undefined };
    if (jobs.length === 1 && (await settleDuplicate(db, job, known)).is !== 'own') return;
    const owner = await presentOwner(stage, jobs as Jobs);
    if (owner === undefined) {
      log.debug(about, 'cannot determine the account owner; the upload will be retried');
      await savePostponed(db, jobs, ownerPauseMs, { begun: false });
      return;
    }
    const outcome = await attemptUpload(stage, jobs as Jobs, owner);
    if (outcome.ok) {
      await finish(stage, jobs as Jobs, outcome.blobs);
      return;
    }
    // Released at once without counting an attempt: this process may have aborted the upload itself
    if (outcome.kind === 'transient' && stage.isStopping()) {
      await savePostponed(db, jobs, 0, { begun: true });
      return;
    }
    const { kind, reason } = outcome;
    log.warn({ ...about, attempt: job.attempts + 1, kind, reason }, 'upload failed');
    if (kind === 'not-tried') await savePostponed(db, jobs, 500, outcome);
    else if (kind === 'permanent' && jobs.length > 1) await unpackQuilt(db, jobs);
    else if (kind === 'permanent') await saveFailed(db, job, 'upload_rejected');
    else if (job.attempts + 1 >= stage.maxAttempts) {
      const failure = outcome.storeFull ? 'store_full' : 'upload_exhausted';
      await saveFailed(db, jobs, failure, stage.alerts && alertOf(jobs as Jobs, reason));
      stage.alerts?.wake();
    } else {
      const failure = outcome.storeFull ? 'store_full' : 'upload_unavailable';
      await saveRetry(db, jobs, failure, retryDelayMs(job.attempts));
    }
  } catch (error) {
    // The lease ends by itself, so the next worker takes the jobs again
    log.warn({ err: error, ...about }, 'the result of an upload could not be saved');
  }
}

/** The memories are stored. For one that was forgotten during the upload, its blob is recorded for the owner to delete. */
async function finish(stage: UploadStage, jobs: Jobs, blobs: readonly UploadedBlob[]): Promise<void> {
  const { db, blobCache, log } = stage;
  const late =
    jobs.length > 1 ? await saveQuiltUploaded(db, jobs, blobs) : await saveAlone(db, jobs[0], blobs[0]!);
  for (const { id } of late) log.info({ job_id: id }, 'a memory was stored after it was forgotten');
  const stored = jobs.filter((job) => !late.includes(job));
  const blobIdOf = (job: ClaimedJob): string => blobs[jobs.indexOf(job)]!.blobId;
  // Only now: an earlier forget finds nothing of it in the cache, and a later one knows the id to remove
  await Promise.all(stored.map((job) => blobCache.set(blobIdOf(job), job.envelope)));
  // A forget in between tried to remove it before it was added
  const gone = await forgottenAmong(db, stored);
  if (gone.length > 0) await blobCache.delete(gone.map(blobIdOf));
}

/** The job, if its memory was forgotten in the meantime. Throws `LeaseLostError` when another worker has the job now. */
async function saveAlone(db: Db, job: ClaimedJob, blob: UploadedBlob): Promise<readonly ClaimedJob[]> {
  try {
    await saveUploaded(db, job, blob);
    return [];
  } catch (error) {
    if (!(error instanceof LeaseLostError)) throw error;
    const forgotten = await forgottenAmong(db, [job]);
    if (forgotten.length === 0) throw error;
    await saveLateBlob(db, job, blob);
    return forgotten;
  }
}

function alertOf(jobs: Jobs, reason: string): UploadDetail {
  const more = jobs.length > 1 ? { memories: jobs.length } : {};
  try {
    return { tag: Buffer.from(parseHeader(jobs[0].envelope).tag).toString('hex'), reason, ...more };
  } catch {
    return { tag: null, reason, ...more };
  }
}
