import type { Db } from '../db/db.ts';

const storeId = 'redis';

/**
 * Compares the run id of the nonce store's server with the one last seen by any relayer on this database, and keeps
 * it. Returns the Unix second at which the run was first seen: requests signed earlier may have been recorded by the
 * run before. The first run ever counts as new, because nobody knows what it has lost.
 */
export async function noteRun(
  db: Db,
  runId: string,
  nowMs: number,
): Promise<{ acceptsFrom: number; changed: boolean }> {
  const { rowCount } = await db.query(
    `INSERT INTO nonce_store AS known (id, run_id, since) VALUES ($1, $2, $3)
     ON CONFLICT (id) DO UPDATE SET run_id = excluded.run_id, since = excluded.since
       WHERE known.run_id <> excluded.run_id`,
    [storeId, runId, new Date(nowMs)],
  );
  const { rows } = await db.query<{ since: Date }>('SELECT since FROM nonce_store WHERE id = $1', [storeId]);
  return { acceptsFrom: Math.ceil(rows[0]!.since.getTime() / 1000), changed: rowCount === 1 };
}
