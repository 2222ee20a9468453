import { envelopeKind } from '@memrelay/envelope/header';
import type { Db, Queryable } from '../../base/db/db.ts';
import type { ClaimedJob } from './claim-jobs.ts';
import { LeaseLostError } from './save-progress.ts';

/** Where a memory's envelope is stored: a blob of its own, or a patch of a quilt. */
export interface UploadedBlob {
  blobId: string;
  objectId: string | undefined;
  endEpoch: number;
}

/**
 * Marks the memories of jobs as done and removes their envelopes from the rows. A memory that was already stored keeps its
 * former blob id as an alias. A lost memory is checked at once: a successful read restores it with its vectors
 * (unreadable.ts). The location of a tombstone or of a new wrap of a key stays in its job (wraps-and-tombstones.ts).
 */
const finish = (leaseCondition: string): string => `
  WITH given AS (SELECT * FROM unnest($1::uuid[], $2::text[]) AS given (job_id, stored_as)),
  job AS (
    UPDATE memory_job SET status = 'done', stage = 'indexing', blob_id = stored_as, envelope = NULL, error_code = NULL,
      error_message = NULL, lease_until = NULL, lease_token = NULL, updated_at = now(),
      checkpoint = CASE WHEN kind <> ${envelopeKind.memory}
        THEN checkpoint || jsonb_build_object('object_id', $3::text, 'end_epoch', $4::int) ELSE checkpoint END
    FROM given WHERE id = job_id AND ${leaseCondition}
    RETURNING account_id, id, coalesce((checkpoint ->> 'renews')::uuid, id) AS memory_id, stored_as),
  former AS (
    INSERT INTO former_blob (account_id, blob_id, memory_id)
    SELECT account_id, memory.blob_id, memory_id FROM job JOIN memory USING (account_id)
    WHERE memory.id = memory_id AND memory.blob_id <> stored_as
    ON CONFLICT DO NOTHING),
  look AS (
    UPDATE unreadable_memory AS gone SET next_look = now() FROM (
      SELECT account_id, memory_id FROM job
      UNION
      SELECT account_id, same.memory_id FROM job JOIN unreadable_memory AS same USING (account_id)
      WHERE same.blob_id = stored_as) AS named
    WHERE gone.account_id = named.account_id AND gone.memory_id = named.memory_id),
  memory AS (
    UPDATE memory SET state = CASE state WHEN 'lost' THEN state ELSE 'done' END, blob_id = stored_as, end_epoch = $4,
      object_id = CASE WHEN blob_id = stored_as THEN coalesce($3, object_id) ELSE $3 END
    FROM job WHERE memory.account_id = job.account_id AND memory.id = job.memory_id)
  SELECT id FROM job`;

/** Throws `LeaseLostError`, without writing anything, if another worker has the job now. */
export async function saveUploaded(db: Db, job: ClaimedJob, blob: UploadedBlob): Promise<void> {
  const { rows } = await db.query(finish('lease_token = $5'), [
    [job.id],
    [blob.blobId],
    blob.objectId ?? null,
    blob.endEpoch,
    job.leaseToken,
  ]);
  if (rows.length === 0) throw new LeaseLostError(job.id);
}

/**
 * Marks the jobs of a stored quilt as done; `blobs` are in their order. It does not matter who stored the quilt or who has
 * the leases now: the quilt exists, and only its own jobs change. Returns the jobs whose memories were forgotten during
 * the upload. One transaction also records that the quilt holds those, so that a crash in between cannot lose this fact.
 */
export function saveQuiltUploaded(
  db: Db,
  jobs: readonly ClaimedJob[],
  blobs: readonly UploadedBlob[],
): Promise<ClaimedJob[]> {
  const [{ objectId, endEpoch }] = blobs as [UploadedBlob];
  return db.transaction(async (tx) => {
    const { rows } = await tx.query<{ id: string }>(finish("quilt_id = $5 AND status = 'running'"), [
      jobs.map(({ id }) => id),
      blobs.map(({ blobId }) => blobId),
      objectId ?? null,
      endEpoch,
      jobs[0]!.quiltId!,
    ]);
    const done = new Set(rows.map(({ id }) => id));
    const forgotten = await forgottenAmong(
      tx,
      jobs.filter(({ id }) => !done.has(id)),
    );
    for (const job of forgotten) await saveLateBlob(tx, job, blobs[jobs.indexOf(job)]!);
    return forgotten;
  });
}

/** A single job may be the reason that a quilt is rejected, so each is retried alone, immediately, with any wallet. */
export async function unpackQuilt(db: Db, jobs: readonly ClaimedJob[]): Promise<void> {
  await db.query(
    `UPDATE memory_job SET quilt_id = NULL, run_at = now(), lease_until = NULL, lease_token = NULL,
       checkpoint = checkpoint || '{"wallet": null, "reached": null}'
     WHERE id = ANY($1::uuid[]) AND lease_token = $2`,
    [jobs.map(({ id }) => id), jobs[0]!.leaseToken],
  );
}

/**
 * Records the blob of a memory that was forgotten during its upload. A memory that was being renewed already has another
 * object, which stays recorded; the new one is recorded separately, under the job's id. A quilt may also contain living
 * memories. If another upload of the job has already recorded an object, the second one is a stray.
 */
export async function saveLateBlob(db: Queryable, job: ClaimedJob, blob: UploadedBlob): Promise<void> {
  await db.query(
    `INSERT INTO forgotten_memory (account_id, memory_id, tag, envelope_id, blob_id, object_id, shared)
     SELECT account_id, $3::uuid, tag, envelope_id, $4::text, $5::text, $6::boolean
     FROM forgotten_memory WHERE account_id = $1 AND memory_id = $2
     ON CONFLICT (account_id, memory_id) DO UPDATE
       SET blob_id = excluded.blob_id, object_id = excluded.object_id, shared = excluded.shared
       WHERE forgotten_memory.object_id IS NULL`,
    [
      job.accountId,
      memoryOf(job),
      job.id,
      blob.blobId,
      blob.objectId ?? null,
      job.quiltId !== undefined && blob.objectId !== undefined,
    ],
  );
}

/** Those of these jobs of one account whose memories were forgotten during the upload. */
export async function forgottenAmong(db: Queryable, jobs: readonly ClaimedJob[]): Promise<ClaimedJob[]> {
  if (jobs.length === 0) return [];
  const { rows } = await db.query<{ memory_id: string }>(
    'SELECT memory_id FROM forgotten_memory WHERE account_id = $1 AND memory_id = ANY($2::uuid[])',
    [jobs[0]!.accountId, jobs.map(memoryOf)],
  );
  const forgotten = new Set(rows.map(({ memory_id }) => memory_id));
  return jobs.filter((job) => forgotten.has(memoryOf(job)));
}

const memoryOf = (job: ClaimedJob): string => job.checkpoint.renews ?? job.id;
