import { randomUUID } from 'node:crypto';
import type { Db, Queryable } from '../../base/db/db.ts';

/** A stored memory whose blob is in its last epochs. */
export interface Expiring {
  accountId: Buffer;
  id: string;
  namespace: string;
  blobId: string;
  objectId: string | undefined;
  envelopeId: Buffer | undefined;
  envelopeSha256: Buffer;
  /** Bytes of the envelope */
  size: number;
  /** The epoch at whose start its blob expires */
  endEpoch: number;
}

/**
 * Memories that expire after this epoch and not after `lastEpoch`, those under renewal apart. The first to expire first,
 * and after all others those whose blobs were not found lately: they must not take the places of what can be renewed.
 */
export async function expiringMemories(
  db: Db,
  epoch: number,
  lastEpoch: number,
  limit: number,
): Promise<Expiring[]> {
  const { rows } = await db.query<{
    account_id: Buffer;
    id: string;
    namespace: string;
    blob_id: string;
    object_id: string | null;
    envelope_id: Buffer | null;
    envelope_sha256: Buffer;
    size: number;
    end_epoch: number;
  }>(
    `SELECT account_id, id, namespace, blob_id, object_id, envelope_id, envelope_sha256, size, end_epoch FROM memory
     WHERE state = 'done' AND end_epoch > $1 AND end_epoch <= $2 AND blob_id IS NOT NULL
       AND NOT EXISTS (
         SELECT 1 FROM memory_job
         WHERE memory_job.account_id = memory.account_id AND status = 'running'
           AND checkpoint ->> 'renews' = memory.id::text)
     ORDER BY EXISTS (
         SELECT 1 FROM unreadable_memory
         WHERE unreadable_memory.account_id = memory.account_id AND memory_id = memory.id AND aggregators > 0),
       end_epoch
     LIMIT $3`,
    [epoch, lastEpoch, limit],
  );
  return rows.map((row) => ({
    accountId: row.account_id,
    id: row.id,
    namespace: row.namespace,
    blobId: row.blob_id,
    objectId: row.object_id ?? undefined,
    envelopeId: row.envelope_id ?? undefined,
    envelopeSha256: row.envelope_sha256,
    size: row.size,
    endEpoch: row.end_epoch,
  }));
}

/** How many memories expire after this epoch and not after `lastEpoch`. */
export async function countExpiring(db: Db, epoch: number, lastEpoch: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM memory WHERE state = 'done' AND end_epoch > $1 AND end_epoch <= $2`,
    [epoch, lastEpoch],
  );
  return rows[0]!.count;
}

/**
 * Queues the upload of a memory's envelope once more, to whoever owns the account now. A renewal of it that failed goes on
 * where it stands, so that what it has paid for is not paid again. False when one is queued already.
 */
export async function insertRenewal(
  db: Queryable,
  memory: Pick<Expiring, 'accountId' | 'id' | 'endEpoch'>,
  owner: string,
  envelope: Buffer,
): Promise<boolean> {
  const { rows } = await db.query(
    `WITH again AS (
       UPDATE memory_job SET status = 'running', owner = $4, attempts = 0,
         quilt_id = CASE WHEN owner = $4 THEN quilt_id END, run_at = now(), error_code = NULL,
         error_message = NULL, checkpoint = checkpoint || $6::jsonb, updated_at = now()
       WHERE id = (
           SELECT id FROM memory_job WHERE account_id = $2 AND checkpoint ->> 'renews' IS NOT NULL
             AND checkpoint ->> 'renews' = $3::uuid::text AND status = 'failed'
           ORDER BY created_at DESC LIMIT 1)
         AND NOT EXISTS (
           SELECT 1 FROM memory_job WHERE account_id = $2 AND checkpoint ->> 'renews' IS NOT NULL
             AND checkpoint ->> 'renews' = $3::uuid::text AND status = 'running')
       RETURNING id),
     fresh AS (
       INSERT INTO memory_job (id, account_id, owner, namespace, delegate_pk, stage, envelope, envelope_id,
         envelope_sha256, checkpoint)
       SELECT $1::uuid, account_id, $4, namespace, ''::bytea, 'uploading', $5::bytea, envelope_id, envelope_sha256,
         $6::jsonb
       FROM memory
       WHERE account_id = $2 AND id = $3 AND state IN ('done', 'lost') AND NOT EXISTS (SELECT 1 FROM again)
       ON CONFLICT DO NOTHING RETURNING id)
     SELECT id FROM again UNION ALL SELECT id FROM fresh`,
    [
      randomUUID(),
      memory.accountId,
      memory.id,
      owner,
      envelope,
      JSON.stringify({ renews: memory.id, min_end_epoch: memory.endEpoch + 1 }),
    ],
  );
  return rows.length > 0;
}
