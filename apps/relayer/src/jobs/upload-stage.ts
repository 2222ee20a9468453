import { parseHeader } from '@memrelay/envelope/header';
import { ApiError } from '@memrelay/protocol/errors';
import type { Logger } from 'pino';
import type { UploadDetail } from '../alerts/alert-outbox.ts';
import type { BlobCache } from '../blobs/blob-cache.ts';
import type { Db } from '../db/db.ts';
import { type SidecarClient, SidecarUnreachableError } from '../sidecar/sidecar-client.ts';
import { triedBlobs } from '../strays/stray-rows.ts';
import type { TaskLoop } from '../tasks/shared-task.ts';
import { retryDelayMs } from './backoff.ts';
import type { ClaimedJob } from './claim-jobs.ts';
import { patchName } from './quilt-bounds.ts';
import { LeaseLostError, saveCheckpoint, saveFailed, savePostponed, saveRetry } from './save-progress.ts';
import {
  forgottenAmong,
  saveLateBlob,
  saveQuiltUploaded,
  saveUploaded,
  type UploadedBlob,
  unpackQuilt,
} from './save-stored.ts';
import { settleDuplicate } from './settle-duplicate.ts';
import type { WalletPool } from './upload-wallets.ts';

interface UploadStage {
  db: Db;
  sidecar: SidecarClient;
  blobCache: BlobCache;
  storeEpochs: number;
  /** Undefined when a publisher pays */
  wallets: WalletPool | undefined;
  maxAttempts: number;
  /** Posts what is written to the outbox of alerts; undefined when nobody wants to be told */
  alerts: Pick<TaskLoop, 'wake'> | undefined;
  /** The process is about to end, and breaks off what is under way */
  isStopping: () => boolean;
  log: Logger;
}

/** A job, or those that are stored as one quilt: under one lease, at the same stage, with the same checkpoint. */
type Jobs = readonly [ClaimedJob, ...ClaimedJob[]];

type Outcome =
  | {
      ok: true;
      /** In the order of the jobs */
      blobs: UploadedBlob[];
    }
  | {
      ok: false;
      kind: 'transient' | 'permanent' | 'not-tried';
      reason: string;
      walletEmpty?: boolean;
      unpaid?: boolean;
    };

/**
 * One attempt at storing a job's envelope, or those of several as one quilt; what happened stands in the rows afterwards.
 * Does not throw.
 */
export async function uploadJobs(stage: UploadStage, jobs: readonly ClaimedJob[]): Promise<void> {
  const { db, log } = stage;
  const [job] = jobs as Jobs;
  const about = { job_id: job.id, ...(jobs.length > 1 ? { jobs: jobs.length, quilt: job.quiltId } : {}) };
  try {
    // A job that was tried again may find that another has stored its text meanwhile
    const known = { model: undefined, readable: undefined };
    if (jobs.length === 1 && (await settleDuplicate(db, job, known)).is !== 'own') return;
    const outcome = await attempt(stage, jobs as Jobs);
    if (outcome.ok) {
      await finish(stage, jobs as Jobs, outcome.blobs);
      return;
    }
    // Handed back at once, and no attempt is counted: what broke off may be our own doing
    if (outcome.kind === 'transient' && stage.isStopping()) {
      await savePostponed(db, jobs, 0);
      return;
    }
    const { kind, reason } = outcome;
    log.warn({ ...about, attempt: job.attempts + 1, kind, reason }, 'upload failed');
    if (kind === 'not-tried') await savePostponed(db, jobs, 500);
    else if (kind === 'permanent' && jobs.length > 1) await unpackQuilt(db, jobs);
    else if (kind === 'permanent')
      await saveFailed(db, job, {
        code: 'upload_rejected',
        message: 'The blob store refused the upload.',
      });
    else if (job.attempts + 1 >= stage.maxAttempts) {
      const failure = {
        code: 'upload_exhausted',
        message: `All ${stage.maxAttempts} upload attempts failed.`,
      } as const;
      await saveFailed(db, jobs, failure, stage.alerts && alertOf(jobs as Jobs, reason));
      stage.alerts?.wake();
    } else
      await saveRetry(
        db,
        jobs,
        {
          code: 'upload_unavailable',
          message: 'The blob store or the chain did not answer; the attempt is repeated.',
        },
        retryDelayMs(job.attempts),
      );
  } catch (error) {
    // The lease ends by itself, so the jobs are taken up again by whoever comes next
    log.warn({ err: error, ...about }, 'the result of an upload could not be saved');
  }
}

/** The memories are stored. One that was forgotten meanwhile is not: its blob is kept in mind for the owner to delete. */
async function finish(stage: UploadStage, jobs: Jobs, blobs: readonly UploadedBlob[]): Promise<void> {
  const { db, blobCache, log } = stage;
  // Warmed before it is announced: a recall right after `done` reads no aggregator
  await Promise.all(jobs.map((job, i) => blobCache.set(blobs[i]!.blobId, job.envelope)));
  const forgotten =
    jobs.length > 1 ? await saveQuiltUploaded(db, jobs, blobs) : await saveAlone(db, jobs[0], blobs[0]!);
  for (const job of forgotten) {
    await blobCache.delete([blobs[jobs.indexOf(job)]!.blobId]);
    log.info({ job_id: job.id }, 'a memory was stored after it was forgotten');
  }
}

/** The job, where its memory was forgotten meanwhile. Throws `LeaseLostError` when somebody else has the job now. */
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

/**
 * Uploads with a wallet of the pool where there is one. A wallet that may have registered the blob goes on with it, also
 * when its answer was lost: only it can, and any other would pay again. Else every attempt takes the next one.
 */
async function attempt(stage: UploadStage, jobs: Jobs): Promise<Outcome> {
  const { wallets } = stage;
  if (!wallets) return upload(stage, jobs, undefined);
  const [job] = jobs;
  const previous = job.checkpoint.wallet ?? undefined;
  const wallet = await wallets.lease(job.leaseToken, previous);
  if (wallet === undefined) return { ok: false, kind: 'not-tried', reason: 'no wallet is free' };
  try {
    await saveCheckpoint(
      stage.db,
      jobs,
      { wallet, ...(wallet === previous ? {} : { reached: null }) },
      'uploading',
    );
    const outcome = await upload(stage, jobs, wallet);
    if (!outcome.ok && outcome.walletEmpty) {
      stage.log.error({ wallet, job_id: job.id }, `a wallet needs coins: ${outcome.reason}`);
      await wallets.rest(wallet);
    }
    if (!outcome.ok && (outcome.walletEmpty || outcome.unpaid))
      await saveCheckpoint(stage.db, jobs, { wallet: null, reached: null }, 'uploading');
    return outcome;
  } finally {
    await wallets.release(job.leaseToken);
  }
}

/**
 * A memory that was forgotten has no row to note it in. It is followed to its end all the same: the sidecar may have gone
 * further by now, and then the owner holds a blob that nobody would name.
 */
async function noteReached(
  db: Db,
  jobs: Jobs,
  reached: object,
  stage: 'indexing' | 'uploading',
): Promise<void> {
  try {
    await saveCheckpoint(db, jobs, reached, stage);
  } catch (error) {
    if (!(error instanceof LeaseLostError) || (await forgottenAmong(db, jobs)).length === 0) throw error;
  }
}

async function upload(stage: UploadStage, jobs: Jobs, wallet: string | undefined): Promise<Outcome> {
  const [job] = jobs;
  const isQuilt = jobs.length > 1;
  const lastEpochs = jobs.flatMap(({ checkpoint }) => checkpoint.min_end_epoch ?? []);
  try {
    const checkpoints = stage.sidecar.upload({
      content: isQuilt
        ? jobs.map(({ envelope }) => ({ identifier: patchName(envelope), contents: envelope }))
        : job.envelope,
      owner: job.owner,
      epochs: stage.storeEpochs,
      minEndEpoch: lastEpochs.length > 0 ? Math.max(...lastEpochs) : undefined,
      jobId: isQuilt ? job.quiltId! : job.id,
      wallet,
      resume: job.uploadClaims > 1,
    });
    for await (const checkpoint of checkpoints) {
      if (checkpoint.stage === 'done') {
        const ids = isQuilt ? checkpoint.patch_ids : [checkpoint.blob_id];
        if (ids?.length !== jobs.length)
          return { ok: false, kind: 'transient', reason: 'the sidecar did not name the patches' };
        const where = { objectId: checkpoint.object_id, endEpoch: checkpoint.end_epoch };
        return { ok: true, blobs: ids.map((blobId) => ({ blobId, ...where })) };
      }
      if (checkpoint.stage === 'failed')
        return {
          ok: false,
          kind: checkpoint.kind,
          reason: checkpoint.reason,
          walletEmpty: checkpoint.wallet_empty === true,
          unpaid: checkpoint.unpaid === true,
        };
      if (checkpoint.stage === 'named') {
        const before = jobs.flatMap((each) => triedBlobs(each.checkpoint));
        const named = { blob_ids: [...new Set([...before, checkpoint.blob_id])] };
        await noteReached(stage.db, jobs, named, 'uploading');
        continue;
      }
      const { stage: reached, ...facts } = checkpoint;
      await noteReached(
        stage.db,
        jobs,
        { reached, ...facts },
        reached === 'certified' ? 'indexing' : 'uploading',
      );
    }
    return { ok: false, kind: 'transient', reason: 'the sidecar ended its answer early' };
  } catch (error) {
    if (error instanceof LeaseLostError) throw error;
    if (error instanceof SidecarUnreachableError) return { ok: false, kind: 'not-tried', reason: error.code };
    const reason = error instanceof ApiError ? error.code : (error as Error).name;
    return { ok: false, kind: 'transient', reason };
  }
}
