import { randomUUID } from 'node:crypto';
import type { Db } from '../db/db.ts';

/** A stored memory whose blob is in its last epochs. */
export interface Expiring {
  accountId: Buffer;
  id: string;
  namespace: string;
  blobId: string;
  envelopeId: Buffer | undefined;
  envelopeSha256: Buffer;
  /** The epoch at whose start its blob expires */
  endEpoch: number;
}

/** Memories that expire after this epoch and not after `lastEpoch`, the first to expire first; those under renewal apart. */
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
    envelope_id: Buffer | null;
    envelope_sha256: Buffer;
    end_epoch: number;
  }>(
    `SELECT account_id, id, namespace, blob_id, envelope_id, envelope_sha256, end_epoch FROM memory
     WHERE state = 'done' AND end_epoch > $1 AND end_epoch <= $2 AND blob_id IS NOT NULL
       AND NOT EXISTS (
         SELECT 1 FROM memory_job
         WHERE memory_job.account_id = memory.account_id AND status = 'running'
           AND checkpoint ->> 'renews' = memory.id::text)
     ORDER BY end_epoch LIMIT $3`,
    [epoch, lastEpoch, limit],
  );
  return rows.map((row) => ({
    accountId: row.account_id,
    id: row.id,
    namespace: row.namespace,
    blobId: row.blob_id,
    envelopeId: row.envelope_id ?? undefined,
    envelopeSha256: row.envelope_sha256,
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

/** Queues the upload of a memory's envelope once more, to whoever owns the account now. False when it is queued already. */
export async function insertRenewal(
  db: Db,
  memory: Expiring,
  owner: string,
  envelope: Buffer,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `INSERT INTO memory_job (id, account_id, owner, namespace, delegate_pk, stage, envelope, envelope_id,
       envelope_sha256, checkpoint)
     SELECT $1::uuid, account_id, $4, namespace, ''::bytea, 'uploading', $5::bytea, envelope_id, envelope_sha256,
       $6::jsonb
     FROM memory WHERE account_id = $2 AND id = $3 AND state = 'done'
     ON CONFLICT DO NOTHING`,
    [
      randomUUID(),
      memory.accountId,
      memory.id,
      owner,
      envelope,
      JSON.stringify({ renews: memory.id, min_end_epoch: memory.endEpoch + 1 }),
    ],
  );
  return rowCount > 0;
}
