import type { JobErrorCode } from '@memrelay/protocol/errors';
import type { JobRecord, JobStage } from '@memrelay/protocol/memories';
import type { Db, Queryable, SqlValue } from '../db/db.ts';
import { encodeVector } from '../db/vector.ts';

/** A job to be accepted: the envelope is final, the text (if any) is sealed for the outbox. */
export interface NewJob {
  id: string;
  accountId: Buffer;
  owner: string;
  namespace: string;
  delegatePk: Buffer;
  /** Sealed text, wiped once embedded; absent when the vector is there already */
  outbox: Buffer | undefined;
  envelope: Buffer;
  envelopeId: Buffer | undefined;
  envelopeSha256: Buffer;
  importance: number;
}

/** A job as a worker holds it, until its lease ends. */
export interface ClaimedJob {
  id: string;
  accountId: Buffer;
  owner: string;
  namespace: string;
  /** Failed attempts at this stage so far */
  attempts: number;
  leaseToken: string;
  outbox: Buffer | null;
  envelope: Buffer;
}

export interface EmbeddedChunk {
  /** Position in the text, from 0 */
  no: number;
  vector: Float32Array;
}

export interface VectorInfo {
  model: string;
  keyId: number;
}

export interface UploadedBlob {
  blobId: string;
  objectId: string | undefined;
  endEpoch: number;
}

/** Thrown when a lease was lost: someone else has the job now, and nothing was written. */
export class LeaseLostError extends Error {
  override name = 'LeaseLostError';
}

const leaseSeconds = 15;

export async function insertJobs(
  tx: Queryable,
  jobs: readonly NewJob[],
  stage: 'queued' | 'uploading',
): Promise<void> {
  const columns = 12;
  const places = jobs.map(
    (_, row) => `(${Array.from({ length: columns }, (_, i) => `$${row * columns + i + 1}`).join(', ')})`,
  );
  await tx.query(
    `INSERT INTO memory_job (id, account_id, owner, namespace, delegate_pk, stage, outbox, envelope, envelope_id,
       envelope_sha256, importance, checkpoint) VALUES ${places.join(', ')}`,
    jobs.flatMap((job): SqlValue[] => [
      job.id,
      job.accountId,
      job.owner,
      job.namespace,
      job.delegatePk,
      stage,
      job.outbox ?? null,
      job.envelope,
      job.envelopeId ?? null,
      job.envelopeSha256,
      job.importance,
      '{}',
    ]),
  );
}

/** Takes up to `limit` due jobs of these stages, oldest first, and leases them. */
export async function claimJobs(
  db: Db,
  stages: readonly JobStage[],
  become: JobStage,
  limit: number,
  leaseToken: string,
): Promise<ClaimedJob[]> {
  const { rows } = await db.query<{
    id: string;
    account_id: Buffer;
    owner: string;
    namespace: string;
    attempts: number;
    outbox: Buffer | null;
    envelope: Buffer;
  }>(
    `UPDATE memory_job SET stage = CASE WHEN stage = 'indexing' THEN stage ELSE $1 END, lease_token = $2,
       lease_until = now() + make_interval(secs => ${leaseSeconds})
     WHERE id IN (
       SELECT id FROM memory_job
       WHERE status = 'running' AND stage = ANY($3) AND run_at <= now() AND (lease_until IS NULL OR lease_until < now())
       ORDER BY run_at LIMIT $4 FOR UPDATE SKIP LOCKED)
     RETURNING id, account_id, owner, namespace, attempts, outbox, envelope`,
    [become, leaseToken, [...stages], limit],
  );
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    owner: row.owner,
    namespace: row.namespace,
    attempts: row.attempts,
    leaseToken,
    outbox: row.outbox,
    envelope: row.envelope,
  }));
}

export async function extendLeases(db: Db, tokens: readonly string[]): Promise<void> {
  await db.query(
    `UPDATE memory_job SET lease_until = now() + make_interval(secs => ${leaseSeconds})
     WHERE lease_token = ANY($1::uuid[]) AND status = 'running'`,
    [[...tokens]],
  );
}

/** Frees the leases of this process, so that the next start need not wait for them to end. */
export async function releaseLeases(db: Db, tokens: readonly string[]): Promise<void> {
  await db.query(
    'UPDATE memory_job SET lease_until = NULL, lease_token = NULL WHERE lease_token = ANY($1::uuid[])',
    [[...tokens]],
  );
}

/** Seconds between extensions, so that two may be missed. */
export const heartbeatSeconds = leaseSeconds / 3;

/** The embedded database has one process: leases that stand at its start belong to a dead one. */
export async function clearLeases(db: Db): Promise<void> {
  await db.query(
    "UPDATE memory_job SET lease_until = NULL, lease_token = NULL WHERE status = 'running' AND lease_token IS NOT NULL",
  );
}

const insertVectors = (chunkPlaces: string): string => `
  INSERT INTO memory_vector (account_id, namespace, embedding_model, memory_id, chunk_no, vector_key_id, embedding, code)
  SELECT account_id, namespace, $2, id, chunk.no, $3, chunk.embedding, binary_quantize(chunk.embedding)
  FROM job, (VALUES ${chunkPlaces}) AS chunk (no, embedding)`;

function chunkParameters(
  chunks: readonly EmbeddedChunk[],
  first: number,
): { places: string; values: SqlValue[] } {
  return {
    places: chunks.map((_, i) => `($${first + i * 2}::smallint, $${first + i * 2 + 1}::vector)`).join(', '),
    values: chunks.flatMap(({ no, vector }): SqlValue[] => [no, encodeVector(vector)]),
  };
}

/** The memory becomes visible as pending, its vectors stand, the sealed text is wiped: one statement. */
export async function saveEmbedded(
  db: Db,
  job: ClaimedJob,
  info: VectorInfo,
  chunks: readonly EmbeddedChunk[],
): Promise<void> {
  const { places, values } = chunkParameters(chunks, 5);
  const { rowCount } = await db.query(
    `WITH job AS (
       UPDATE memory_job SET stage = 'uploading', outbox = NULL, attempts = 0, run_at = now(), error_code = NULL,
         error_message = NULL, lease_until = NULL, lease_token = NULL, updated_at = now()
       WHERE id = $1 AND lease_token = $4 RETURNING *),
     memory AS (
       INSERT INTO memory (account_id, id, namespace, state, envelope_id, envelope_sha256, size, importance, created_at)
       SELECT account_id, id, namespace, 'pending', envelope_id, envelope_sha256, length(envelope), importance, created_at
       FROM job)
     ${insertVectors(places)}`,
    [job.id, info.model, info.keyId, job.leaseToken, ...values],
  );
  if (rowCount === 0) throw new LeaseLostError(job.id);
}

/** A memory whose vector the client sent: it needs no embedding and waits for its upload. */
export async function insertManualMemory(
  tx: Queryable,
  jobId: string,
  info: VectorInfo,
  vector: Float32Array,
): Promise<void> {
  const { places, values } = chunkParameters([{ no: 0, vector }], 4);
  await tx.query(
    `WITH job AS (SELECT * FROM memory_job WHERE id = $1),
     memory AS (
       INSERT INTO memory (account_id, id, namespace, state, envelope_id, envelope_sha256, size, importance, created_at)
       SELECT account_id, id, namespace, 'pending', envelope_id, envelope_sha256, length(envelope), importance, created_at
       FROM job)
     ${insertVectors(places)}`,
    [jobId, info.model, info.keyId, ...values],
  );
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

/** The blob is where it belongs: the memory is done and its envelope leaves the row. */
export async function saveUploaded(db: Db, job: ClaimedJob, blob: UploadedBlob): Promise<void> {
  const { rowCount } = await db.query(
    `WITH job AS (
       UPDATE memory_job SET status = 'done', stage = 'indexing', blob_id = $3, envelope = NULL, error_code = NULL,
         error_message = NULL, lease_until = NULL, lease_token = NULL, updated_at = now()
       WHERE id = $1 AND lease_token = $2 RETURNING account_id, id)
     UPDATE memory SET state = 'done', blob_id = $3, object_id = $4, end_epoch = $5
     FROM job WHERE memory.account_id = job.account_id AND memory.id = job.id`,
    [job.id, job.leaseToken, blob.blobId, blob.objectId ?? null, blob.endEpoch],
  );
  if (rowCount === 0) throw new LeaseLostError(job.id);
}

export interface AttemptFailure {
  code: JobErrorCode;
  message: string;
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

/** Ends a job for good. Its envelope stays, so that nothing that was accepted is thrown away. */
export async function saveFailed(db: Db, job: ClaimedJob, failure: AttemptFailure): Promise<void> {
  await db.query(
    `WITH job AS (
       UPDATE memory_job SET status = 'failed', attempts = attempts + 1, error_code = $3, error_message = $4,
         lease_until = NULL, lease_token = NULL, updated_at = now()
       WHERE id = $1 AND lease_token = $2 RETURNING account_id, id)
     UPDATE memory SET state = 'failed' FROM job WHERE memory.account_id = job.account_id AND memory.id = job.id`,
    [job.id, job.leaseToken, failure.code, failure.message],
  );
}

interface JobRow {
  id: string;
  owner: string;
  namespace: string;
  status: JobRecord['status'];
  stage: JobStage;
  attempts: number;
  run_at: Date;
  blob_id: string | null;
  error_code: string | null;
  error_message: string | null;
  created_at: Date;
  updated_at: Date;
}

/** The jobs of this account among `ids`; others are as unknown as those that do not exist. */
export async function readJobs(
  db: Db,
  accountId: Buffer,
  ids: readonly string[],
): Promise<Map<string, JobRecord>> {
  const { rows } = await db.query<JobRow>(
    `SELECT id, owner, namespace, status, stage, attempts, run_at, blob_id, error_code, error_message, created_at, updated_at
     FROM memory_job WHERE account_id = $1 AND id = ANY($2::uuid[])`,
    [accountId, [...ids]],
  );
  return new Map(rows.map((row) => [row.id, jobRecord(row)]));
}

function jobRecord(row: JobRow): JobRecord {
  const base = { job_id: row.id, status: row.status, owner: row.owner, namespace: row.namespace };
  if (row.status === 'done') return row.blob_id ? { ...base, blob_id: row.blob_id } : base;
  return {
    ...base,
    stage: row.stage,
    attempts: row.attempts,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    ...(row.status === 'running' && row.error_code ? { next_retry_at: row.run_at.toISOString() } : {}),
    ...(row.error_code ? { error: { code: row.error_code, message: row.error_message ?? '' } } : {}),
  };
}

/** Envelopes of memories that are not uploaded yet, by memory id. */
export async function readPendingEnvelopes(
  db: Db,
  accountId: Buffer,
  ids: readonly string[],
): Promise<Map<string, Buffer>> {
  const { rows } = await db.query<{ id: string; envelope: Buffer }>(
    'SELECT id, envelope FROM memory_job WHERE account_id = $1 AND id = ANY($2::uuid[]) AND envelope IS NOT NULL',
    [accountId, [...ids]],
  );
  return new Map(rows.map((row) => [row.id, row.envelope]));
}

/** Seconds since the oldest unfinished job was accepted; 0 when there is none. */
export async function oldestPendingSeconds(db: Db): Promise<number> {
  const { rows } = await db.query<{ seconds: number }>(
    "SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0)::int AS seconds FROM memory_job WHERE status = 'running'",
  );
  return Number(rows[0]?.seconds ?? 0);
}
