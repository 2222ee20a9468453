import type { Db } from '../db/db.ts';

const storeId = 'redis';
const at = 'coalesce($3::timestamptz, now())';

/**
 * Compares the run id of the nonce store's server with the one last seen by any relayer on this database, and keeps
 * it. Returns the Unix second at which the run took over from another: requests signed earlier may have been recorded
 * by the run before. It is the database's time: a relayer whose clock is wrong must not close the door to all others, nor
 * open it to requests that the run before has seen. For the first run that a database sees it is 0, unless nonces still
 * stand in the table: then the server has just taken over from it.
 */
export async function noteRun(
  db: Db,
  runId: string,
  /** Unix time in ms, instead of the database's */
  nowMs?: number,
): Promise<{ acceptsFrom: number; changed: boolean }> {
  const written = await db.query<{ since: Date }>(
    `INSERT INTO nonce_store AS known (id, run_id, since) VALUES ($1, $2,
       CASE WHEN EXISTS (SELECT 1 FROM nonce WHERE expires_at > ${at}) THEN ${at} ELSE to_timestamp(0) END)
     ON CONFLICT (id) DO UPDATE SET run_id = excluded.run_id, since = ${at}
       WHERE known.run_id <> excluded.run_id RETURNING since`,
    [storeId, runId, nowMs === undefined ? null : new Date(nowMs)],
  );
  const { rows } = await db.query<{ since: Date }>('SELECT since FROM nonce_store WHERE id = $1', [storeId]);
  return {
    acceptsFrom: Math.ceil(rows[0]!.since.getTime() / 1000),
    changed: (written.rows[0]?.since.getTime() ?? 0) > 0,
  };
}
