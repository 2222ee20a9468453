import type { LostReason } from '@memrelay/protocol/memory-lists';
import type { Db } from '../../base/db/db.ts';
import { vectorColumns } from '../../index/vector-rows.ts';
import type { WatchedMemory } from './watched-memories.ts';

type MemoryRef = Pick<WatchedMemory, 'accountId' | 'id'>;

/**
 * Records that no aggregator has the blobs of these memories, so that the relayer checks them. Memories that are already
 * suspected keep their date; lost and pending ones are skipped.
 */
export async function suspect(
  db: Db,
  accountId: Buffer,
  ids: readonly string[],
  aggregators: number,
): Promise<void> {
  await db.query(
    `INSERT INTO unreadable_memory (account_id, memory_id, blob_id, aggregators)
     SELECT account_id, id, blob_id, $3 FROM memory
     WHERE account_id = $1 AND id = ANY($2::uuid[]) AND state = 'done' AND blob_id IS NOT NULL
     ON CONFLICT DO NOTHING`,
    [accountId, [...ids], aggregators],
  );
}

/**
 * Saves the result of a check: how many aggregators do not have the blob, or 0 when it is no longer paid for but none
 * reports it missing. The suspicion starts with the first check in which no aggregator had it.
 */
export async function saveBlobCheck(
  db: Db,
  { accountId, id }: MemoryRef,
  aggregators: number,
  delayMs: number,
): Promise<void> {
  await db.query(
    `INSERT INTO unreadable_memory AS known (account_id, memory_id, blob_id, aggregators, next_look)
     SELECT account_id, id, blob_id, $3, now() + make_interval(secs => $4) FROM memory
     WHERE account_id = $1 AND id = $2 AND state IN ('done', 'lost') AND blob_id IS NOT NULL
     ON CONFLICT (account_id, memory_id) DO UPDATE
     SET since = CASE WHEN known.aggregators = 0 THEN now() ELSE known.since END,
       blob_id = excluded.blob_id, aggregators = excluded.aggregators, next_look = excluded.next_look`,
    [accountId, id, aggregators, delayMs / 1000],
  );
}

/** The check had no result: schedules only the next one. */
export async function postponeBlobCheck(
  db: Db,
  { accountId, id }: MemoryRef,
  delayMs: number,
): Promise<void> {
  await db.query(
    `UPDATE unreadable_memory SET next_look = now() + make_interval(secs => $3)
     WHERE account_id = $1 AND memory_id = $2`,
    [accountId, id, delayMs / 1000],
  );
}

const qualified = (table: string): string =>
  vectorColumns
    .split(', ')
    .map((name) => `${table}.${name}`)
    .join(', ');

/**
 * Marks a stored memory as lost: keeps its row and removes its vectors from the search. False, and nothing is written, when it
 * was stored again in the meantime or is being stored again.
 */
export async function markLost(
  db: Db,
  memory: Pick<WatchedMemory, 'accountId' | 'id' | 'blobId' | 'endEpoch'>,
  reason: LostReason,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    // Locked by a separate statement, so that the next one sees the vectors that others have just written for it
    await tx.query('SELECT 1 FROM memory WHERE account_id = $1 AND id = $2 FOR UPDATE', [
      memory.accountId,
      memory.id,
    ]);
    const { rows } = await tx.query(
      `WITH lost AS (
         UPDATE memory SET state = 'lost', lost_reason = $3
         WHERE account_id = $1 AND id = $2 AND state = 'done' AND blob_id = $4
           AND end_epoch IS NOT DISTINCT FROM $5::int
           AND NOT EXISTS (
             SELECT 1 FROM memory_job WHERE memory_job.account_id = $1 AND status = 'running'
               AND checkpoint ->> 'renews' = $2::uuid::text)
         RETURNING account_id, id),
       taken AS (
         DELETE FROM memory_vector USING lost
         WHERE memory_vector.account_id = lost.account_id AND memory_id = lost.id
         RETURNING ${qualified('memory_vector')}),
       kept AS (
         INSERT INTO lost_vector (${vectorColumns}) SELECT ${vectorColumns} FROM taken ON CONFLICT DO NOTHING)
       SELECT id FROM lost`,
      [memory.accountId, memory.id, reason, memory.blobId, memory.endEpoch ?? null],
    );
    return rows.length > 0;
  });
}

/** The blob was read: this ends the suspicion and restores a lost memory. True when it was lost. */
export async function clearSuspicion(db: Db, { accountId, id }: MemoryRef): Promise<boolean> {
  return db.transaction(async (tx) => {
    const { rows } = await tx.query(
      `WITH alive AS (
         UPDATE memory SET state = 'done', lost_reason = NULL WHERE account_id = $1 AND id = $2 AND state = 'lost'
         RETURNING account_id, id),
       taken AS (
         DELETE FROM lost_vector USING alive
         WHERE lost_vector.account_id = alive.account_id AND memory_id = alive.id
         RETURNING ${qualified('lost_vector')}),
       back AS (
         INSERT INTO memory_vector (${vectorColumns}) SELECT ${vectorColumns} FROM taken ON CONFLICT DO NOTHING)
       SELECT id FROM alive`,
      [accountId, id],
    );
    await tx.query('DELETE FROM unreadable_memory WHERE account_id = $1 AND memory_id = $2', [accountId, id]);
    return rows.length > 0;
  });
}
