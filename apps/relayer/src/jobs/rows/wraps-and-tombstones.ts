import { envelopeKind } from '@memrelay/envelope/header';
import type { Db } from '../../base/db/db.ts';

/**
 * An envelope of an owner that is not a memory, but a tombstone or a new wrap of a key, and whose blob is in its last
 * epochs. Its data is in the job that stored it for the owner; that job is therefore kept.
 */
export interface ExpiringEnvelope {
  accountId: Buffer;
  jobId: string;
  blobId: string;
  objectId: string | undefined;
  envelopeSha256: Buffer;
  /** The epoch at whose start its blob expires */
  endEpoch: number;
}

const endEpoch = "(checkpoint ->> 'end_epoch')::int";
const stored = "checkpoint ->> 'end_epoch' IS NOT NULL AND status <> 'running'";
const columns = `account_id, id, blob_id, checkpoint ->> 'object_id' AS object_id, envelope_sha256, ${endEpoch} AS end_epoch`;

interface Row {
  account_id: Buffer;
  id: string;
  blob_id: string;
  object_id: string | null;
  envelope_sha256: Buffer;
  end_epoch: number;
}

/** Wraps that expire after this epoch and not after `lastEpoch`, the first to expire first; those under renewal apart. */
export async function expiringWraps(
  db: Db,
  epoch: number,
  lastEpoch: number,
  limit: number,
): Promise<ExpiringEnvelope[]> {
  const { rows } = await db.query<Row>(
    `SELECT ${columns} FROM memory_job
     WHERE kind = ${envelopeKind.rewrap} AND ${stored} AND ${endEpoch} > $1 AND ${endEpoch} <= $2
     ORDER BY ${endEpoch} LIMIT $3`,
    [epoch, lastEpoch, limit],
  );
  return rows.map(expiring);
}

/**
 * Tombstones, selected like `expiringWraps`, except those with nothing left to forget. The least recently checked come
 * first.
 */
export async function expiringTombstones(
  db: Db,
  epoch: number,
  lastEpoch: number,
  limit: number,
): Promise<ExpiringEnvelope[]> {
  const { rows } = await db.query<Row>(
    `SELECT ${columns} FROM memory_job, LATERAL (
       SELECT min(looked_at) AS looked_at FROM buried_blob
       WHERE buried_blob.account_id = memory_job.account_id AND tombstone_id = memory_job.id HAVING count(*) > 0) AS buried
     WHERE kind = ${envelopeKind.tombstone} AND ${stored} AND ${endEpoch} > $1 AND ${endEpoch} <= $2
     ORDER BY looked_at NULLS FIRST, ${endEpoch} LIMIT $3`,
    [epoch, lastEpoch, limit],
  );
  return rows.map(expiring);
}

function expiring(row: Row): ExpiringEnvelope {
  return {
    accountId: row.account_id,
    jobId: row.id,
    blobId: row.blob_id,
    objectId: row.object_id ?? undefined,
    envelopeSha256: row.envelope_sha256,
    endEpoch: row.end_epoch,
  };
}

/** Saves a later end than was known, for example when the owner has extended the object. */
export async function saveEnvelopeEnd(db: Db, { jobId }: ExpiringEnvelope, end: number): Promise<void> {
  await db.query(
    `UPDATE memory_job SET checkpoint = checkpoint || jsonb_build_object('end_epoch', $2::int) WHERE id = $1`,
    [jobId, end],
  );
}

/** Queues the job's upload again, for the account's current owner. False when it is queued already. */
export async function renewEnvelope(
  db: Db,
  { jobId, endEpoch: end }: ExpiringEnvelope,
  owner: string,
  envelope: Buffer,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE memory_job SET status = 'running', stage = 'uploading', owner = $2, envelope = $3, attempts = 0,
       run_at = now(), error_code = NULL, error_message = NULL, updated_at = now(),
       checkpoint = checkpoint || jsonb_build_object('min_end_epoch', $4::int) ||
         CASE status WHEN 'done' THEN '{"wallet": null, "reached": null}' ELSE '{}' END::jsonb
     WHERE id = $1 AND kind <> ${envelopeKind.memory} AND ${stored}`,
    [jobId, owner, envelope, end + 1],
  );
  return rowCount > 0;
}
