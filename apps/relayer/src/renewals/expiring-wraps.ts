import { envelopeKind } from '@memrelay/envelope/header';
import type { Db } from '../db/db.ts';

/**
 * An envelope with a new wrap of a key, whose blob is in its last epochs. What is known of it stands in the job that
 * brought it to the owner, which is therefore kept.
 */
export interface ExpiringWrap {
  accountId: Buffer;
  jobId: string;
  blobId: string;
  objectId: string | undefined;
  envelopeSha256: Buffer;
  /** The epoch at whose start its blob expires */
  endEpoch: number;
}

const endEpoch = "(checkpoint ->> 'end_epoch')::int";
const stored = `kind = ${envelopeKind.rewrap} AND checkpoint ->> 'end_epoch' IS NOT NULL AND status <> 'running'`;

/** Wraps that expire after this epoch and not after `lastEpoch`, the first to expire first; those under renewal apart. */
export async function expiringWraps(
  db: Db,
  epoch: number,
  lastEpoch: number,
  limit: number,
): Promise<ExpiringWrap[]> {
  const { rows } = await db.query<{
    account_id: Buffer;
    id: string;
    blob_id: string;
    object_id: string | null;
    envelope_sha256: Buffer;
    end_epoch: number;
  }>(
    `SELECT account_id, id, blob_id, checkpoint ->> 'object_id' AS object_id, envelope_sha256, ${endEpoch} AS end_epoch
     FROM memory_job WHERE ${stored} AND ${endEpoch} > $1 AND ${endEpoch} <= $2
     ORDER BY ${endEpoch} LIMIT $3`,
    [epoch, lastEpoch, limit],
  );
  return rows.map((row) => ({
    accountId: row.account_id,
    jobId: row.id,
    blobId: row.blob_id,
    objectId: row.object_id ?? undefined,
    envelopeSha256: row.envelope_sha256,
    endEpoch: row.end_epoch,
  }));
}

/** Notes a later end than was known, as of an object that its owner has prolonged. */
export async function saveWrapEnd(db: Db, { jobId }: ExpiringWrap, end: number): Promise<void> {
  await db.query(
    `UPDATE memory_job SET checkpoint = checkpoint || jsonb_build_object('end_epoch', $2::int) WHERE id = $1`,
    [jobId, end],
  );
}

/** Queues the job's upload once more, to whoever owns the account now. False when it is queued already. */
export async function renewWrap(
  db: Db,
  wrap: ExpiringWrap,
  owner: string,
  envelope: Buffer,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE memory_job SET status = 'running', stage = 'uploading', owner = $2, envelope = $3, attempts = 0,
       run_at = now(), error_code = NULL, error_message = NULL, updated_at = now(),
       checkpoint = checkpoint || jsonb_build_object('min_end_epoch', $4::int) ||
         CASE status WHEN 'done' THEN '{"wallet": null, "reached": null}' ELSE '{}' END::jsonb
     WHERE id = $1 AND ${stored}`,
    [wrap.jobId, owner, envelope, wrap.endEpoch + 1],
  );
  return rowCount > 0;
}
