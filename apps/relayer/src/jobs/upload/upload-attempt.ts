import { ApiError } from '@memrelay/protocol/errors';
import type { Logger } from 'pino';
import type { Db } from '../../base/db/db.ts';
import { type SidecarClient, SidecarUnreachableError } from '../../sidecar/sidecar-client.ts';
import type { ClaimedJob } from '../rows/claim-jobs.ts';
import { LeaseLostError, saveCheckpoint, saveNamed } from '../rows/save-progress.ts';
import { forgottenAmong, type UploadedBlob } from '../rows/save-stored.ts';
import type { WalletPool } from '../rows/upload-wallets.ts';
import { patchName } from './quilt-bounds.ts';

/** What an attempt at an upload needs. */
export interface UploadParts {
  db: Db;
  sidecar: Pick<SidecarClient, 'upload'>;
  storeEpochs: number;
  /** Undefined when a publisher pays */
  wallets: WalletPool | undefined;
  log: Logger;
}

/** A job, or those that are stored as one quilt: under one lease, at the same stage, with the same checkpoint. */
export type Jobs = readonly [ClaimedJob, ...ClaimedJob[]];

export type Outcome =
  | {
      ok: true;
      /** In the order of the jobs */
      blobs: UploadedBlob[];
    }
  | {
      ok: false;
      kind: 'transient' | 'permanent';
      reason: string;
      walletEmpty?: boolean;
      unpaid?: boolean;
      storeFull?: boolean;
    }
  | {
      ok: false;
      /** No attempt is counted */
      kind: 'not-tried';
      /** The attempt may have paid for something */
      begun: boolean;
      reason: string;
    };

/**
 * Uploads with a wallet of the pool if there is one. A wallet that may have registered the blob continues with it, even
 * when the answer was lost: only that wallet can, and any other would pay again. Otherwise each attempt takes the next one.
 */
export async function attemptUpload(stage: UploadParts, jobs: Jobs, owner: string): Promise<Outcome> {
  const { wallets } = stage;
  if (!wallets) return upload(stage, jobs, owner, undefined);
  const [job] = jobs;
  const previous = job.checkpoint.wallet ?? undefined;
  const wallet = await wallets.lease(job.leaseToken, previous);
  if (wallet === undefined)
    return { ok: false, kind: 'not-tried', begun: false, reason: 'no wallet is free' };
  try {
    await saveCheckpoint(
      stage.db,
      jobs,
      { wallet, ...(wallet === previous ? {} : { reached: null }) },
      'uploading',
    );
    const outcome = await upload(stage, jobs, owner, wallet);
    if (outcome.ok || outcome.kind === 'not-tried') return outcome;
    if (outcome.walletEmpty) {
      stage.log.error({ wallet, job_id: job.id }, `a wallet needs coins: ${outcome.reason}`);
      await wallets.rest(wallet);
    }
    if (outcome.walletEmpty || outcome.unpaid)
      await saveCheckpoint(stage.db, jobs, { wallet: null, reached: null }, 'uploading');
    return outcome;
  } finally {
    await wallets.release(job.leaseToken);
  }
}

/**
 * A forgotten memory has no row to save the progress in. The upload continues to its end anyway: the sidecar may be
 * further by now, and then the owner has a blob that would appear in no list.
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

async function upload(
  stage: UploadParts,
  jobs: Jobs,
  owner: string,
  wallet: string | undefined,
): Promise<Outcome> {
  const [job] = jobs;
  let begun = false;
  const isQuilt = jobs.length > 1;
  const lastEpochs = jobs.flatMap(({ checkpoint }) => checkpoint.min_end_epoch ?? []);
  try {
    const checkpoints = stage.sidecar.upload({
      content: isQuilt
        ? jobs.map(({ envelope }) => ({ identifier: patchName(envelope), contents: envelope }))
        : job.envelope,
      owner,
      epochs: stage.storeEpochs,
      minEndEpoch: lastEpochs.length > 0 ? Math.max(...lastEpochs) : undefined,
      jobId: isQuilt ? job.quiltId! : job.id,
      wallet,
      resume: job.uploadClaims > 1,
    });
    for await (const checkpoint of checkpoints) {
      if (checkpoint.stage === 'named') {
        if (!(await saveNamed(stage.db, jobs, checkpoint.blob_id)))
          return {
            ok: false,
            kind: 'not-tried',
            begun,
            reason: 'a memory was forgotten before its upload began',
          };
        begun = true;
        continue;
      }
      begun = true;
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
          storeFull: checkpoint.store_full === true,
        };
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
    if (error instanceof SidecarUnreachableError)
      return { ok: false, kind: 'not-tried', begun, reason: error.code };
    const reason = error instanceof ApiError ? error.code : (error as Error).name;
    return { ok: false, kind: 'transient', reason };
  }
}
