import type { JobErrorCode } from '@memrelay/protocol/errors';
import type { JobStage } from '@memrelay/protocol/memories';
import type { UploadDetail } from '../alerts/alert-outbox.ts';
import type { Db } from '../db/db.ts';
import type { IndexData } from '../memories/index-data.ts';
import type { ClaimedJob } from './claim-jobs.ts';
import { keywordColumns, keywordPlaces, keywordValues } from './keyword-columns.ts';
import { chunkParameters, insertVectors } from './vector-rows.ts';

export interface UploadedBlob {
  blobId: string;
  objectId: string | undefined;
  endEpoch: number;
}

/** Thrown when a lease was lost: someone else has the job now, and nothing was written. */
export class LeaseLostError extends Error {
  override name = 'LeaseLostError';
}

/** The memory becomes visible as pending, its index data stands, the sealed text is wiped: one statement. */
export async function saveEmbedded(
  db: Db,
  job: ClaimedJob,
  { info, chunks, keywords }: IndexData,
): Promise<void> {
  const ofKeywords = keywordValues(keywords);
  const { places, values } = chunkParameters(chunks, 5 + ofKeywords.length);
  const { rowCount } = await db.query(
    `WITH job AS (
       UPDATE memory_job SET stage = 'uploading', outbox = NULL, given_vectors = NULL, attempts = 0, run_at = now(),
         error_code = NULL, error_message = NULL, lease_until = NULL, lease_token = NULL, updated_at = now()
       WHERE id = $1 AND lease_token = $4 RETURNING *),
     memory AS (
       INSERT INTO memory (account_id, id, namespace, state, envelope_id, envelope_sha256, size, importance, created_at,
         ${keywordColumns})
       SELECT account_id, id, namespace, 'pending', envelope_id, envelope_sha256, length(envelope), importance,
         coalesce(written_at, created_at), ${keywordPlaces(5)}
       FROM job)
     ${insertVectors(places)}`,
    [job.id, info.model, info.keyId, job.leaseToken, ...ofKeywords, ...values],
  );
  if (rowCount === 0) throw new LeaseLostError(job.id);
}

export async function saveCheckpoint(
  db: Db,
  job: ClaimedJob,
  checkpoint: object,
  stage: JobStage,
): Promise<void> {
  const { rowCount } = await db.query(
    `UPDATE memory_job SET checkpoint = checkpoint || $3::jsonb, stage = $4, updated_at = now()
     WHERE id = $1 AND lease_token = $2`,
    [job.id, job.leaseToken, JSON.stringify(checkpoint), stage],
  );
  if (rowCount === 0) throw new LeaseLostError(job.id);
}

/** The blob is where it belongs: the memory, if it is one, is done and its envelope leaves the row. */
export async function saveUploaded(db: Db, job: ClaimedJob, blob: UploadedBlob): Promise<void> {
  const { rows } = await db.query(
    `WITH job AS (
       UPDATE memory_job SET status = 'done', stage = 'indexing', blob_id = $3, envelope = NULL, error_code = NULL,
         error_message = NULL, lease_until = NULL, lease_token = NULL, updated_at = now()
       WHERE id = $1 AND lease_token = $2
       RETURNING account_id, id, coalesce((checkpoint ->> 'renews')::uuid, id) AS memory_id),
     memory AS (
       UPDATE memory SET state = 'done', blob_id = $3, object_id = coalesce($4, object_id), end_epoch = $5
       FROM job WHERE memory.account_id = job.account_id AND memory.id = job.memory_id)
     SELECT id FROM job`,
    [job.id, job.leaseToken, blob.blobId, blob.objectId ?? null, blob.endEpoch],
  );
  if (rows.length === 0) throw new LeaseLostError(job.id);
}

export interface AttemptFailure {
  code: JobErrorCode;
  message: string;
}

/** The job could not even be tried: it is due again soon, and no attempt is counted. */
export async function savePostponed(db: Db, job: ClaimedJob, delayMs: number): Promise<void> {
  await db.query(
    `UPDATE memory_job SET run_at = now() + make_interval(secs => $3), lease_until = NULL, lease_token = NULL
     WHERE id = $1 AND lease_token = $2`,
    [job.id, job.leaseToken, delayMs / 1000],
  );
}

/** Counts a failed attempt and sets when the next one is due. */
export async function saveRetry(
  db: Db,
  job: ClaimedJob,
  failure: AttemptFailure,
  delayMs: number,
): Promise<void> {
  await db.query(
    `UPDATE memory_job SET attempts = attempts + 1, run_at = now() + make_interval(secs => $3), error_code = $4,
       error_message = $5, lease_until = NULL, lease_token = NULL, updated_at = now()
     WHERE id = $1 AND lease_token = $2`,
    [job.id, job.leaseToken, delayMs / 1000, failure.code, failure.message],
  );
}

/**
 * Ends a job for good. Its envelope stays, so that nothing that was accepted is thrown away. The alert, if one is due,
 * is written by the same statement: there is never a failure without its alert, nor the other way round.
 */
export async function saveFailed(
  db: Db,
  job: ClaimedJob,
  failure: AttemptFailure,
  alert?: UploadDetail,
): Promise<void> {
  await db.query(
    `WITH job AS (
       UPDATE memory_job SET status = 'failed', attempts = attempts + 1, error_code = $3, error_message = $4,
         lease_until = NULL, lease_token = NULL, updated_at = now()
       WHERE id = $1 AND lease_token = $2 RETURNING account_id, id),
     alert AS (
       INSERT INTO alert (kind, subject, detail) SELECT 'upload_failed', id::text, $5::jsonb FROM job WHERE $5::jsonb IS NOT NULL)
     UPDATE memory SET state = 'failed' FROM job WHERE memory.account_id = job.account_id AND memory.id = job.id`,
    [job.id, job.leaseToken, failure.code, failure.message, alert ? JSON.stringify(alert) : null],
  );
}

/**
 * The blob of a memory that was forgotten while it was uploaded. One that was being renewed has another object already,
 * which lives on: the new one stands beside it, under the job's id. False when it was not forgotten.
 */
export async function saveLateBlob(db: Db, job: ClaimedJob, blob: UploadedBlob): Promise<boolean> {
  const { rowCount } = await db.query(
    `INSERT INTO forgotten_memory (account_id, memory_id, tag, envelope_id, blob_id, object_id)
     SELECT account_id, $3::uuid, tag, envelope_id, $4::text, $5::text FROM forgotten_memory WHERE account_id = $1 AND memory_id = $2
     ON CONFLICT (account_id, memory_id) DO UPDATE SET blob_id = excluded.blob_id, object_id = excluded.object_id`,
    [job.accountId, job.checkpoint.renews ?? job.id, job.id, blob.blobId, blob.objectId ?? null],
  );
  return rowCount > 0;
}

export async function wasForgotten(db: Db, job: ClaimedJob): Promise<boolean> {
  const { rows } = await db.query('SELECT 1 FROM forgotten_memory WHERE account_id = $1 AND memory_id = $2', [
    job.accountId,
    job.checkpoint.renews ?? job.id,
  ]);
  return rows.length > 0;
}
