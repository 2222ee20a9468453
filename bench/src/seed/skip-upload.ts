import { createHash } from 'node:crypto';
import type { Client } from 'pg';

/** Rows per step. */
const batch = 500;

interface Stored {
  jobId: string;
  blobId: string;
}

/**
 * Completes accepted and embedded jobs without uploading them: the envelope goes from the job row into the blob
 * cache, under an id of the right format, and the rows get the state that an upload leaves. Ten thousand uploads
 * would take minutes and not affect a recall from a warm cache. Returns the completed jobs. Jobs that an upload worker has
 * leased are left to that worker.
 */
export async function skipUploads(
  database: Client,
  cacheBlob: (blobId: string, envelope: Buffer) => Promise<unknown>,
  jobIds: readonly string[],
): Promise<Stored[]> {
  const ended: Stored[] = [];
  for (let i = 0; i < jobIds.length; i += batch) {
    const { rows } = await database.query<{ id: string; envelope: Buffer }>(
      `SELECT id, envelope FROM memory_job
       WHERE id = ANY($1::uuid[]) AND stage = 'uploading' AND lease_token IS NULL`,
      [jobIds.slice(i, i + batch)],
    );
    const stored = rows.map(({ id, envelope }) => ({
      jobId: id,
      envelope,
      blobId: createHash('sha256').update(envelope).digest('base64url'),
    }));
    await Promise.all(stored.map(({ blobId, envelope }) => cacheBlob(blobId, envelope)));
    await database.query(
      `WITH ended AS (
         UPDATE memory_job SET status = 'done', stage = 'indexing', envelope = NULL, blob_id = given.blob_id
         FROM unnest($1::uuid[], $2::text[]) AS given (id, blob_id)
         WHERE memory_job.id = given.id AND lease_token IS NULL RETURNING account_id, memory_job.id, given.blob_id)
       UPDATE memory SET state = 'done', blob_id = ended.blob_id, end_epoch = 1000
       FROM ended WHERE memory.account_id = ended.account_id AND memory.id = ended.id`,
      [stored.map(({ jobId }) => jobId), stored.map(({ blobId }) => blobId)],
    );
    ended.push(...stored.map(({ jobId, blobId }) => ({ jobId, blobId })));
  }
  return ended;
}

/** Waits until all these jobs have their vectors. */
export async function untilEmbedded(database: Client, jobIds: readonly string[]): Promise<void> {
  for (;;) {
    const { rows } = await database.query<{ left: number }>(
      `SELECT count(*)::int AS left FROM memory_job WHERE id = ANY($1::uuid[]) AND stage IN ('queued', 'embedding')`,
      [[...jobIds]],
    );
    if (rows[0]!.left === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Waits until no job runs. */
export async function untilIdle(database: Client): Promise<void> {
  for (;;) {
    const { rows } = await database.query<{ left: number }>(
      "SELECT count(*)::int AS left FROM memory_job WHERE status = 'running'",
    );
    if (rows[0]!.left === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
