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
import {
  LeaseLostError,
  saveCheckpoint,
  saveFailed,
  saveLateBlob,
  savePostponed,
  saveRetry,
  saveUploaded,
  type UploadedBlob,
  wasForgotten,
} from './save-progress.ts';
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

type Outcome =
  | { ok: true; blob: UploadedBlob }
  | {
      ok: false;
      kind: 'transient' | 'permanent' | 'not-tried';
      reason: string;
      walletEmpty?: boolean;
      unpaid?: boolean;
    };

/** One attempt at storing a job's envelope; what happened stands in the row afterwards. Does not throw. */
export async function uploadJob(stage: UploadStage, job: ClaimedJob): Promise<void> {
  const { db, log } = stage;
  try {
    // A job that was tried again may find that another has stored its text meanwhile
    const known = { model: undefined, readable: undefined };
    if ((await settleDuplicate(db, job, known)).is !== 'own') return;
    const outcome = await attempt(stage, job);
    if (outcome.ok) {
      await finish(stage, job, outcome.blob);
      return;
    }
    // Handed back at once, and no attempt is counted: what broke off may be our own doing
    if (outcome.kind === 'transient' && stage.isStopping()) {
      await savePostponed(db, job, 0);
      return;
    }
    log.warn(
      { job_id: job.id, attempt: job.attempts + 1, kind: outcome.kind, reason: outcome.reason },
      'upload failed',
    );
    if (outcome.kind === 'not-tried') await savePostponed(db, job, 500);
    else if (outcome.kind === 'permanent')
      await saveFailed(db, job, {
        code: 'upload_rejected',
        message: 'The blob store refused the upload.',
      });
    else if (job.attempts + 1 >= stage.maxAttempts) {
      const failure = {
        code: 'upload_exhausted',
        message: `All ${stage.maxAttempts} upload attempts failed.`,
      } as const;
      await saveFailed(db, job, failure, stage.alerts && alertOf(job, outcome.reason));
      stage.alerts?.wake();
    } else
      await saveRetry(
        db,
        job,
        {
          code: 'upload_unavailable',
          message: 'The blob store or the chain did not answer; the attempt is repeated.',
        },
        retryDelayMs(job.attempts),
      );
  } catch (error) {
    // The lease ends by itself, so the job is taken up again by whoever comes next
    log.warn({ err: error, job_id: job.id }, 'the result of an upload could not be saved');
  }
}

/** The memory is stored. One that was forgotten meanwhile is not: its blob is kept in mind for the owner to delete. */
async function finish(
  { db, blobCache, log }: UploadStage,
  job: ClaimedJob,
  blob: UploadedBlob,
): Promise<void> {
  // Warmed before it is announced: a recall right after `done` reads no aggregator
  await blobCache.set(blob.blobId, job.envelope);
  try {
    await saveUploaded(db, job, blob);
  } catch (error) {
    if (!(error instanceof LeaseLostError) || !(await saveLateBlob(db, job, blob))) throw error;
    await blobCache.delete([blob.blobId]);
    log.info({ job_id: job.id }, 'a memory was stored after it was forgotten');
  }
}

function alertOf(job: ClaimedJob, reason: string): UploadDetail {
  try {
    return { tag: Buffer.from(parseHeader(job.envelope).tag).toString('hex'), reason };
  } catch {
    return { tag: null, reason };
  }
}

/**
 * Uploads with a wallet of the pool where there is one. A wallet that may have registered the blob goes on with it, also
 * when its answer was lost: only it can, and any other would pay again. Else every attempt takes the next one.
 */
async function attempt(stage: UploadStage, job: ClaimedJob): Promise<Outcome> {
  const { wallets } = stage;
  if (!wallets) return upload(stage, job, undefined);
  const previous = job.checkpoint.wallet ?? undefined;
  const wallet = await wallets.lease(job.leaseToken, previous);
  if (wallet === undefined) return { ok: false, kind: 'not-tried', reason: 'no wallet is free' };
  try {
    await saveCheckpoint(
      stage.db,
      job,
      { wallet, ...(wallet === previous ? {} : { reached: null }) },
      'uploading',
    );
    const outcome = await upload(stage, job, wallet);
    if (!outcome.ok && outcome.walletEmpty) {
      stage.log.error({ wallet, job_id: job.id }, `a wallet needs coins: ${outcome.reason}`);
      await wallets.rest(wallet);
    }
    if (!outcome.ok && (outcome.walletEmpty || outcome.unpaid))
      await saveCheckpoint(stage.db, job, { wallet: null, reached: null }, 'uploading');
    return outcome;
  } finally {
    await wallets.release(job.leaseToken);
  }
}

/**
 * A memory that was forgotten has no row to note it in. It is followed to its end all the same: the sidecar may have gone
 * further by now, and then the owner holds a blob that nobody would name.
 */
async function noteReached(...[db, job, reached, stage]: Parameters<typeof saveCheckpoint>): Promise<void> {
  try {
    await saveCheckpoint(db, job, reached, stage);
  } catch (error) {
    if (!(error instanceof LeaseLostError) || !(await wasForgotten(db, job))) throw error;
  }
}

async function upload(stage: UploadStage, job: ClaimedJob, wallet: string | undefined): Promise<Outcome> {
  try {
    const checkpoints = stage.sidecar.upload({
      bytes: job.envelope,
      owner: job.owner,
      epochs: stage.storeEpochs,
      minEndEpoch: job.checkpoint.min_end_epoch,
      jobId: job.id,
      wallet,
      resume: job.uploadClaims > 1,
    });
    for await (const checkpoint of checkpoints) {
      if (checkpoint.stage === 'done')
        return {
          ok: true,
          blob: {
            blobId: checkpoint.blob_id,
            objectId: checkpoint.object_id,
            endEpoch: checkpoint.end_epoch,
          },
        };
      if (checkpoint.stage === 'failed')
        return {
          ok: false,
          kind: checkpoint.kind,
          reason: checkpoint.reason,
          walletEmpty: checkpoint.wallet_empty === true,
          unpaid: checkpoint.unpaid === true,
        };
      if (checkpoint.stage === 'named') {
        const named = { blob_ids: [...new Set([...triedBlobs(job.checkpoint), checkpoint.blob_id])] };
        await noteReached(stage.db, job, named, 'uploading');
        continue;
      }
      const { stage: reached, ...facts } = checkpoint;
      await noteReached(
        stage.db,
        job,
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
