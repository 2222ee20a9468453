import type { Logger } from 'pino';
import { type PeriodicTasks, startPeriodicTasks } from '../periodic-tasks.ts';
import type { Db } from './db.ts';

const everyMs = 20_000;
/** A table is due when more rows have changed than this plus a fifth of the table */
const changedRows = 200;

/**
 * Does for the embedded database what autovacuum does for a server: PGlite has no background process.
 * Without it, deleted rows keep their space and the planner has no statistics.
 */
export function startVacuum(db: Db, log: Logger): PeriodicTasks {
  return startPeriodicTasks({ vacuum: () => vacuumDueTables(db) }, log, everyMs);
}

/** Vacuums each due table separately, so that no other statement waits long. Returns the tables. */
export async function vacuumDueTables(db: Db): Promise<string[]> {
  // Counters are lost when the process ends, so a table that has outgrown its statistics is due as well
  const { rows } = await db.query<{ name: string }>(
    `SELECT relid::regclass::text AS name FROM pg_stat_user_tables JOIN pg_class ON pg_class.oid = relid
     WHERE greatest(n_dead_tup + n_ins_since_vacuum, n_mod_since_analyze) > ${changedRows} + 0.2 * greatest(reltuples, 0)
       OR pg_relation_size(relid) / current_setting('block_size')::int > 10 + 1.2 * relpages
     ORDER BY name`,
  );
  for (const { name } of rows) await db.query(`VACUUM (ANALYZE) ${name}`);
  return rows.map(({ name }) => name);
}
