import { type JobErrorCode, jobErrorCatalogue } from '@memrelay/protocol/errors';
import type { JobStage } from '@memrelay/protocol/memories';
import type { Db } from '../../base/db/db.ts';
import type { UploadDetail } from './alert-outbox.ts';
import type { ClaimedJob } from './claim-jobs.ts';
import { triedBlobs } from './stray-rows.ts';

/** The lease was lost: another worker has the job now, and nothing was written. */
export class LeaseLostError extends Error {
  override name = 'LeaseLostError';
}

/** A job, or those that are stored as one quilt: they share a lease and move together. */
export type LeasedJobs = ClaimedJob | readonly ClaimedJob[];

/** The first two parameters of a statement about jobs under one lease. */
function leaseOf(leased: LeasedJobs): [string[], string] {
  const jobs = 'id' in leased ? [leased] : leased;
  return [jobs.map(({ id }) => id), jobs[0]!.leaseToken];
}

/** Throws `LeaseLostError` when the lease was lost. */
export async function saveCheckpoint(
  db: Db,
  leased: LeasedJobs,
  checkpoint: object,
  stage: JobStage,
): Promise<void> {
  const { rowCount } = await db.query(
    `UPDATE memory_job SET checkpoint = checkpoint || $3::jsonb, stage = $4, updated_at = now()
     WHERE id = ANY($1::uuid[]) AND lease_token = $2`,
    [...leaseOf(leased), JSON.stringify(checkpoint), stage],
  );
  if (rowCount === 0) throw new LeaseLostError(leaseOf(leased)[0].join());
}

/**
 * The upload could not even be attempted: it is due again soon, and no attempt is counted. One that was never `begun` is
 * reset, so that others can still be packed with it.
 */
export async function savePostponed(
  db: Db,
  leased: LeasedJobs,
  delayMs: number,
  { begun }: { begun: boolean },
): Promise<void> {
  await db.query(
    `UPDATE memory_job SET run_at = now() + make_interval(secs => $3), lease_until = NULL, lease_token = NULL,
       upload_claims = CASE WHEN $4 THEN upload_claims ELSE upload_claims - 1 END,
       quilt_id = CASE WHEN $4 OR upload_claims > 1 THEN quilt_id END
     WHERE id = ANY($1::uuid[]) AND lease_token = $2`,
    [...leaseOf(leased), delayMs / 1000, begun],
  );
}

/**
 * Saves which blob is about to be stored. False when it must not be stored: one of its memories was forgotten, or another
 * worker has the jobs now.
 */
export async function saveNamed(db: Db, jobs: readonly ClaimedJob[], blobId: string): Promise<boolean> {
  const before = jobs.flatMap(({ checkpoint }) => triedBlobs(checkpoint));
  const { rowCount } = await db.query(
    `UPDATE memory_job SET checkpoint = checkpoint || $3::jsonb, updated_at = now()
     WHERE id = ANY($1::uuid[]) AND lease_token = $2`,
    [...leaseOf(jobs), JSON.stringify({ blob_ids: [...new Set([...before, blobId])] })],
  );
  return rowCount === jobs.length;
}

/** Account ownership changed: sets the current owner as the recipient of the jobs' object. */
export async function saveOwner(db: Db, jobs: readonly ClaimedJob[], owner: string): Promise<void> {
  await db.query('UPDATE memory_job SET owner = $3 WHERE id = ANY($1::uuid[]) AND lease_token = $2', [
    ...leaseOf(jobs),
    owner,
  ]);
}

/** Counts a failed attempt and sets when the next one is due. */
export async function saveRetry(
  db: Db,
  leased: LeasedJobs,
  error: JobErrorCode,
  delayMs: number,
): Promise<void> {
  await db.query(
    `UPDATE memory_job SET attempts = attempts + 1, run_at = now() + make_interval(secs => $3), error_code = $4,
       error_message = $5, lease_until = NULL, lease_token = NULL, updated_at = now()
     WHERE id = ANY($1::uuid[]) AND lease_token = $2`,
    [...leaseOf(leased), delayMs / 1000, error, jobErrorCatalogue[error]],
  );
}

/**
 * Marks jobs as failed. Their envelopes stay, so that no accepted data is lost. The same statement writes the
 * alert, if one is due, for all of them together, so that failures and alerts always match.
 */
export async function saveFailed(
  db: Db,
  leased: LeasedJobs,
  error: JobErrorCode,
  alert?: UploadDetail,
): Promise<void> {
  await db.query(
    `WITH job AS (
       UPDATE memory_job SET status = 'failed', attempts = attempts + 1, error_code = $3, error_message = $4,
         lease_until = NULL, lease_token = NULL, updated_at = now()
       WHERE id = ANY($1::uuid[]) AND lease_token = $2 RETURNING account_id, id),
     alert AS (
       INSERT INTO alert (kind, subject, detail)
       SELECT 'upload_failed', id::text, $5::jsonb FROM job WHERE $5::jsonb IS NOT NULL ORDER BY id LIMIT 1)
     UPDATE memory SET state = 'failed' FROM job WHERE memory.account_id = job.account_id AND memory.id = job.id`,
    [...leaseOf(leased), error, jobErrorCatalogue[error], alert ? JSON.stringify(alert) : null],
  );
}
