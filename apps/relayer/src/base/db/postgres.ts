import { createHash } from 'node:crypto';
import { ApiError } from '@memrelay/protocol/errors';
import pg from 'pg';
import type { Db, Queryable, QueryResult, SqlValue } from './db.ts';

const timestampTz = 1184;
const parseTimestamp = pg.types.getTypeParser(timestampTz) as (text: string) => Date;

/** A time in UTC and in years of four digits is nearly ISO 8601, which JavaScript parses five times faster. */
function parseTime(text: string): Date {
  return text.endsWith('+00') && text[4] === '-'
    ? new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`)
    : parseTimestamp(text);
}

/** 20: int8. Counts and sizes stay below 2^53, so numbers are enough. */
const parsers = new Map<number, (text: string) => unknown>([
  [20, Number],
  [timestampTz, parseTime],
]);

const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    const own = format === 'binary' ? undefined : parsers.get(oid);
    return own ?? pg.types.getTypeParser(oid, format);
  },
};

/** Connection exceptions, insufficient resources, operator intervention (Postgres, appendix A). */
const unavailableClasses: ReadonlySet<string> = new Set(['08', '53', '57']);
/** Our own time limit, or a cancelled query: the server is healthy. */
const queryCanceled = '57014';

/** Deadlock: this transaction was aborted, and a retry succeeds. */
const deadlock = '40P01';

/** Errors that Postgres did not return itself are treated as connection failures. */
function asFailure(error: unknown): unknown {
  const answered = error instanceof pg.DatabaseError ? (error.code ?? '') : undefined;
  if (answered === deadlock) return new ApiError('overloaded', { cause: error });
  const isAway =
    answered === undefined || (unavailableClasses.has(answered.slice(0, 2)) && answered !== queryCanceled);
  return isAway ? new ApiError('database_unavailable', { cause: error }) : error;
}

async function run<Row>(
  client: pg.Pool | pg.PoolClient,
  sql: string,
  params: readonly SqlValue[],
  name?: string,
): Promise<QueryResult<Row>> {
  try {
    const values = params as unknown[];
    const result = await client.query(
      name === undefined ? { text: sql, values } : { name, text: sql, values },
    );
    return { rows: result.rows as Row[], rowCount: result.rowCount ?? 0 };
  } catch (error) {
    throw asFailure(error);
  }
}

/**
 * Error codes of a prepared statement that cannot be used. A pooler may send each statement to another connection, where
 * the prepared statement is missing or already exists. A migration by a newer relayer may have changed a result type.
 */
const unusableStatement: ReadonlySet<string | undefined> = new Set(['26000', '42P05', '0A000']);

/**
 * Runs prepared statements on `prepared`, each under a name made from its text. Falls back to `pool` for good once the
 * server turns out not to support them.
 */
function preparedRuns(prepared: pg.Pool, pool: pg.Pool) {
  const names = new Map<string, string>();
  let works = true;
  const nameOf = (sql: string): string => {
    const known = names.get(sql) ?? createHash('sha256').update(sql).digest('hex').slice(0, 32);
    names.set(sql, known);
    return known;
  };
  return async function runPrepared<Row>(
    sql: string,
    params: readonly SqlValue[],
  ): Promise<QueryResult<Row>> {
    if (!works) return run(pool, sql, params);
    try {
      return await run<Row>(prepared, sql, params, nameOf(sql));
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || !unusableStatement.has(error.code)) throw error;
      works = false;
      return run(pool, sql, params);
    }
  };
}

const ignore = (): void => undefined;

/**
 * Compiling a statement takes longer than running it: 61 ms for a search of 7 ms, once the planner's estimate exceeds
 * `jit_above_cost` in a database of a million memories (measured).
 */
const noJit = 'SET jit = off';

/**
 * Connections for prepared statements. They plan a statement once; otherwise Postgres may plan a search again each time,
 * which takes a third as long as running it (measured).
 */
const preparedConnections = 8;

/**
 * Plans are made once, also on a connection of a relayer that started with empty tables. Their size is unknown then, and
 * reading a whole table seems as cheap as using an index.
 */
export const preparedSettings = ['plan_cache_mode = force_generic_plan', 'enable_seqscan = off'];

/**
 * Opens a pool on `connectionString`. `onError` is called for idle connections that broke; the pool replaces them. Queries
 * throw `database_unavailable` if the server is unreachable, otherwise the server's own error.
 */
export function openPostgres(
  connectionString: string,
  { maxConnections = 12, onError }: { maxConnections?: number; onError: (error: Error) => void },
): Db {
  const open = (max: number, settings: string): pg.Pool => {
    const pool = new pg.Pool({
      connectionString,
      max,
      connectionTimeoutMillis: 5_000,
      statement_timeout: 30_000,
      // A silent server would block the connection and its callers until TCP gives up
      query_timeout: 40_000,
      keepAlive: true,
      types,
      onConnect: (client) => client.query(settings),
    });
    pool.on('error', onError);
    return pool;
  };
  const pool = open(maxConnections, noJit);
  const prepared = open(
    Math.min(preparedConnections, maxConnections),
    [noJit, ...preparedSettings.map((setting) => `SET ${setting}`)].join('; '),
  );
  const runPrepared = preparedRuns(prepared, pool);
  return {
    kind: 'postgres',
    query: (sql, params = [], { prepared = false } = {}) =>
      prepared ? runPrepared(sql, params) : run(pool, sql, params),
    async transaction(work) {
      const client = await pool.connect().catch((error: unknown) => {
        throw asFailure(error);
      });
      // A connection that breaks while we hold it also fails the query that runs or comes next
      client.on('error', ignore);
      const tx: Queryable = { query: (sql, params = []) => run(client, sql, params) };
      let broken: Error | undefined;
      try {
        await tx.query('BEGIN');
        const result = await work(tx);
        await tx.query('COMMIT');
        return result;
      } catch (error) {
        await client.query('ROLLBACK').catch((failure: Error) => {
          broken = failure;
        });
        throw error;
      } finally {
        client.off('error', ignore);
        client.release(broken);
      }
    },
    close: async () => {
      await Promise.all([pool.end(), prepared.end()]);
    },
  };
}
