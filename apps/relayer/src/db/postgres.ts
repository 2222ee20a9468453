import pg from 'pg';
import type { Db, Queryable, QueryResult, SqlValue } from './db.ts';

/** Postgres 20: int8, 1184: timestamptz. Counts and sizes stay below 2^53, so numbers are enough. */
const parsers = new Map<number, (text: string) => unknown>([[20, Number]]);

const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    const own = format === 'binary' ? undefined : parsers.get(oid);
    return own ?? pg.types.getTypeParser(oid, format);
  },
};

async function run<Row>(
  client: pg.Pool | pg.PoolClient,
  sql: string,
  params: readonly SqlValue[],
): Promise<QueryResult<Row>> {
  const result = await client.query(sql, params as unknown[]);
  return { rows: result.rows as Row[], rowCount: result.rowCount ?? 0 };
}

/**
 * Opens a pool on `connectionString`. `onError` hears of idle connections that broke; the pool replaces them.
 */
export function openPostgres(
  connectionString: string,
  options: { maxConnections?: number; onError: (error: Error) => void },
): Db {
  const pool = new pg.Pool({
    connectionString,
    max: options.maxConnections ?? 12,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 30_000,
    types,
  });
  pool.on('error', options.onError);
  return {
    kind: 'postgres',
    query: (sql, params = []) => run(pool, sql, params),
    async transaction(work) {
      const client = await pool.connect();
      const tx: Queryable = { query: (sql, params = []) => run(client, sql, params) };
      let broken: Error | undefined;
      try {
        await client.query('BEGIN');
        const result = await work(tx);
        await client.query('COMMIT');
        return result;
      } catch (error) {
        await client.query('ROLLBACK').catch((failure: Error) => {
          broken = failure;
        });
        throw error;
      } finally {
        client.release(broken);
      }
    },
    close: () => pool.end(),
  };
}
