import type { Db } from '../../base/db/db.ts';

/** The state of a database server and of our database on it. */
export interface DatabaseState {
  /** As in `server_version_num`: 150004 */
  version: number;
  vector: string | null;
  /** The version of the vector extension that the server has installed */
  available_vector: string | null;
  unix_ms: number;
  /** Transactions since the oldest row was frozen; at two billion the server stops accepting writes */
  transaction_age: number;
  bytes: number;
  connections: number;
  max_connections: number;
  autovacuum: string;
}

export async function readDatabaseState(db: Db): Promise<DatabaseState> {
  const { rows } = await db.query<DatabaseState>(
    `SELECT current_setting('server_version_num')::int AS version,
       (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS vector,
       (SELECT default_version FROM pg_available_extensions WHERE name = 'vector') AS available_vector,
       (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS unix_ms,
       age(datfrozenxid)::int AS transaction_age,
       pg_database_size(datname)::float8 AS bytes,
       (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
       current_setting('max_connections')::int AS max_connections,
       current_setting('autovacuum') AS autovacuum
     FROM pg_database WHERE datname = current_database()`,
  );
  return rows[0]!;
}

/** Names of indexes that a failed `CREATE INDEX CONCURRENTLY` or a crash has left unusable. */
export async function invalidIndexes(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `SELECT indexrelid::regclass::text AS name FROM pg_index
     JOIN pg_class ON pg_class.oid = indexrelid
     WHERE NOT (indisvalid AND indisready) AND relnamespace = current_schema()::regnamespace
     ORDER BY name`,
  );
  return rows.map(({ name }) => name);
}

export interface UnvacuumedTable {
  name: string;
  dead: number;
  live: number;
  /** False where `autovacuum_enabled` was turned off for this table */
  enabled: boolean;
}

/** Tables with many rows that are deleted but not removed, or without autovacuum. */
export async function unvacuumedTables(db: Db): Promise<UnvacuumedTable[]> {
  const { rows } = await db.query<UnvacuumedTable>(
    `SELECT relid::regclass::text AS name, n_dead_tup::float8 AS dead, n_live_tup::float8 AS live,
       NOT coalesce(reloptions @> '{autovacuum_enabled=false}' OR reloptions @> '{autovacuum_enabled=off}', false) AS enabled
     FROM pg_stat_user_tables JOIN pg_class ON pg_class.oid = relid
     WHERE schemaname = current_schema() ORDER BY name`,
  );
  return rows.filter(({ dead, live, enabled }) => !enabled || dead > 10_000 + 0.5 * live);
}

/** Minutes that the oldest idle transaction has been open; it prevents the removal of deleted rows. */
export async function oldestIdleTransaction(db: Db): Promise<number> {
  const { rows } = await db.query<{ minutes: number | null }>(
    `SELECT (extract(epoch FROM max(clock_timestamp() - xact_start)) / 60)::float8 AS minutes FROM pg_stat_activity
     WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
  );
  return rows[0]?.minutes ?? 0;
}
