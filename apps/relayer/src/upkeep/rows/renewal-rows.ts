import { randomUUID } from 'node:crypto';
import type { Db, Queryable } from '../../base/db/db.ts';
import { type MemoryColumns, memoryFields } from '../../jobs/rows/memory-fields.ts';

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
 * Memories of all accounts that expire after this epoch and not after `lastEpoch`, without those that are being renewed.
 * The earliest expiry comes first. Memories whose blobs were recently not found come last, so that they do not use up the
 * limit that memories with readable blobs need.
 */
export async function expiringMemories(
  db: Db,
  epoch: number,
  lastEpoch: number,
  limit: number,
): Promise<Expiring[]> {
  const { rows } = await db.query<
    MemoryColumns<
      | 'account_id'
      | 'id'
      | 'namespace'
      | 'blob_id'
      | 'object_id'
      | 'envelope_id'
      | 'envelope_sha256'
      | 'size'
      | 'end_epoch',
      'blob_id' | 'end_epoch'
    >
  >(
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
  return rows.map(memoryFields);
}

/** How many memories of all accounts expire after this epoch and not after `lastEpoch`. */
export async function countExpiring(db: Db, epoch: number, lastEpoch: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM memory WHERE state = 'done' AND end_epoch > $1 AND end_epoch <= $2`,
    [epoch, lastEpoch],
  );
  return rows[0]!.count;
}

/**
 * Queues another upload of a memory's envelope, for the current owner of the account. A failed renewal of the memory is
 * resumed from its checkpoint, so that nothing is paid for twice. False when a renewal is queued already.
 */
export async function insertRenewal(
  db: Queryable,
  memory: Pick<Expiring, 'accountId' | 'id' | 'endEpoch'>,
  owner: string,
  envelope: Buffer,
): Promise<boolean> {
  const { rows } = await db.query(
    `WITH resumed AS (
       UPDATE memory_job SET status = 'running', owner = $4, attempts = 0,
         quilt_id = CASE WHEN owner = $4 THEN quilt_id END, run_at = now(), error_code = NULL,
         error_message = NULL, checkpoint = checkpoint || $6::jsonb, updated_at = now()
       WHERE account_id = $2 AND id = (
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
       WHERE account_id = $2 AND id = $3 AND state IN ('done', 'lost') AND NOT EXISTS (SELECT 1 FROM resumed)
       ON CONFLICT DO NOTHING RETURNING id)
     SELECT id FROM resumed UNION ALL SELECT id FROM fresh`,
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
