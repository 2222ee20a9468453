import { envelopeKind } from '@memrelay/envelope/header';
import type { Db } from '../../base/db/db.ts';

const batchSize = 5_000;

/**
 * Removes the rows of jobs that have been done for so many days, in bounded steps; returns how many. Their memories need
 * them no more: whether a text is stored is read from the memory itself. Failed jobs hold what was accepted and stay, and so
 * do those that brought new wraps of keys, or tombstones that are needed: only they know where these are.
 * A day is the least: as long as an idempotency key is remembered, its job can be asked for.
 */
export async function pruneJobs(db: Db, days: number): Promise<number> {
  for (let pruned = 0; ; ) {
    const { rowCount } = await db.query(
      `DELETE FROM memory_job WHERE id = ANY (ARRAY(
         SELECT id FROM memory_job
         WHERE status = 'done' AND updated_at < now() - make_interval(days => $1) AND kind <> ${envelopeKind.rewrap}
           AND NOT (kind = ${envelopeKind.tombstone} AND EXISTS (
             SELECT 1 FROM buried_blob WHERE buried_blob.account_id = memory_job.account_id AND tombstone_id = memory_job.id))
         ORDER BY updated_at LIMIT ${batchSize} FOR UPDATE SKIP LOCKED))`,
      [days],
    );
    pruned += rowCount;
    if (rowCount < batchSize) return pruned;
  }
}
