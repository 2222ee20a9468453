import type { JobRecord, JobStage } from '@memrelay/protocol/memories';
import type { Db } from '../../base/db/db.ts';

/** Two digits say enough, and a cosine rounds above 1. */
export function shownSimilarity(similarity: number | null): number {
  return Math.round(Math.min(1, similarity ?? 0) * 100) / 100;
}

interface JobRow {
  id: string;
  delegate_pk: Buffer;
  owner: string;
  namespace: string;
  status: JobRecord['status'];
  stage: JobStage;
  attempts: number;
  run_at: Date;
  blob_id: string | null;
  duplicate: boolean;
  near_duplicate_of: string | null;
  near_similarity: number | null;
  error_code: string | null;
  error_message: string | null;
  created_at: Date;
  updated_at: Date;
}

/**
 * The jobs of this account among `ids`; jobs of other accounts are as unknown as those that do not exist. The blob is the
 * one that the memory is in now: it moves when a quilt is repacked. `isVisible` leaves out jobs that the caller must not
 * see; it gets the public key (hex) of the key that created the job.
 */
export async function readJobs(
  db: Db,
  accountId: Buffer,
  ids: readonly string[],
  isVisible: (job: { namespace: string; createdBy: string }) => boolean = () => true,
): Promise<Map<string, JobRecord>> {
  const { rows } = await db.query<JobRow>(
    `SELECT memory_job.id, memory_job.delegate_pk, owner, memory_job.namespace, status, stage, attempts, run_at, duplicate, error_code,
       error_message, memory_job.created_at, updated_at, coalesce(memory.blob_id, memory_job.blob_id) AS blob_id,
       near.id AS near_duplicate_of, memory.near_similarity
     FROM memory_job
       LEFT JOIN known_text ON duplicate AND known_text.account_id = $1 AND known_text.text_hash = memory_job.text_hash
       LEFT JOIN memory ON memory.account_id = $1 AND memory.id = coalesce(known_text.memory_id, memory_job.id)
       LEFT JOIN memory near ON NOT duplicate AND near.account_id = $1 AND near.id = memory.near_duplicate_of
         AND near.namespace = memory.namespace AND near.state IN ('pending', 'done')
     WHERE memory_job.account_id = $1 AND memory_job.id = ANY($2::uuid[])`,
    [accountId, [...ids]],
  );
  const visible = rows.filter(({ namespace, delegate_pk }) =>
    isVisible({ namespace, createdBy: delegate_pk.toString('hex') }),
  );
  return new Map(visible.map((row) => [row.id, jobRecord(row)]));
}

function jobRecord(row: JobRow): JobRecord {
  const base = {
    job_id: row.id,
    status: row.status,
    owner: row.owner,
    namespace: row.namespace,
    ...(row.near_duplicate_of
      ? { near_duplicate_of: row.near_duplicate_of, similarity: shownSimilarity(row.near_similarity) }
      : {}),
  };
  if (row.status === 'done')
    return {
      ...base,
      ...(row.blob_id ? { blob_id: row.blob_id } : {}),
      ...(row.duplicate ? { deduplicated: true as const } : {}),
    };
  return {
    ...base,
    stage: row.stage,
    attempts: row.attempts,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    ...(row.status === 'running' && row.error_code ? { next_retry_at: row.run_at.toISOString() } : {}),
    ...(row.error_code ? { error: row.error_message || row.error_code, error_code: row.error_code } : {}),
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

/**
 * Of memories that were pending when they were found, by memory id: the envelopes of those that are not uploaded yet, and
 * where those are that were uploaded since.
 */
export async function readPending(
  db: Db,
  accountId: Buffer,
  ids: readonly string[],
): Promise<{ envelopes: Map<string, Buffer>; blobIds: Map<string, string> }> {
  if (ids.length === 0) return { envelopes: new Map(), blobIds: new Map() };
  const envelopes = await readPendingEnvelopes(db, accountId, ids);
  const uploaded = ids.filter((id) => !envelopes.has(id));
  return { envelopes, blobIds: await blobsOfStored(db, accountId, uploaded) };
}

/** Where those of these memories are that are uploaded, by memory id. */
export async function blobsOfStored(
  db: Db,
  accountId: Buffer,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const { rows } = await db.query<{ id: string; blob_id: string }>(
    `SELECT id, blob_id FROM memory
     WHERE account_id = $1 AND id = ANY($2::uuid[]) AND state = 'done' AND blob_id IS NOT NULL`,
    [accountId, [...ids]],
  );
  return new Map(rows.map((row) => [row.id, row.blob_id]));
}

/** Seconds since the oldest unfinished job was accepted; 0 when there is none. */
export async function oldestPendingSeconds(db: Db): Promise<number> {
  const { rows } = await db.query<{ seconds: number }>(
    "SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0)::int AS seconds FROM memory_job WHERE status = 'running'",
  );
  return Number(rows[0]?.seconds ?? 0);
}
