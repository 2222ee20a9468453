import { envelopeKind } from '@memrelay/envelope/header';
import type { Db } from '../../base/db/db.ts';

const batchSize = 5_000;

/**
 * Removes the rows of jobs that have been done for this number of days, in bounded steps; returns how many. Their memories
 * no longer need them: whether a text is stored is read from the memory. Failed jobs stay, because they contain the accepted
 * data. Jobs of wraps and of tombstones that are still needed stay too, because only they contain the location. A day is the
 * minimum: clients can query a job as long as its idempotency key is kept.
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
