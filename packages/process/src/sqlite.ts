import { createRequire } from 'node:module';

/** The SQLite functions that we use, which `node:sqlite` and `libsql` both have. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

export interface SqliteStatement {
  get(...values: SqliteValue[]): unknown;
  all(...values: SqliteValue[]): unknown[];
  run(...values: SqliteValue[]): unknown;
}

export type SqliteValue = string | number | bigint | Uint8Array | null;

type Constructor = new (path: string, options: { timeout: number }) => SqliteDatabase;

/**
 * Opens an SQLite file (or `:memory:`), creating it if missing; `timeoutMs` is how long statements wait for another process's
 * lock. Both implementations take the locks of the operating system, so processes on different versions of Node exclude each
 * other. Throws if Node has no SQLite (before 22.13) and the optional package `libsql` is not installed.
 */
export function openSqlite(path: string, timeoutMs = 0): SqliteDatabase {
  const options = { timeout: timeoutMs };
  const own = process.getBuiltinModule?.('node:sqlite');
  return own ? new own.DatabaseSync(path, options) : withPlainRows(new (libsql())(path, options));
}

function libsql(): Constructor {
  try {
    return createRequire(import.meta.url)('libsql') as Constructor;
  } catch (error) {
    throw new Error(
      `Node ${process.versions.node} has no SQLite, and the package libsql, which replaces it, is not installed (npm omits optional packages with --omit=optional, and there is none for some platforms). Install it, or use Node 22.13 or newer.`,
      { cause: error },
    );
  }
}

/** Corrects libsql (0.5), which adds a column to the row of `get`, and returns blobs as `ArrayBuffer` in the rows of `all`. */
function withPlainRows(database: SqliteDatabase): SqliteDatabase {
  return {
    exec: (sql) => database.exec(sql),
    close: () => database.close(),
    prepare(sql) {
      const statement = database.prepare(sql);
      return {
        get: (...values) => plainRow(statement.get(...values)),
        all: (...values) => statement.all(...values).map(plainRow),
        run: (...values) => statement.run(...values),
      };
    },
  };
}

function plainRow(row: unknown): unknown {
  if (row === undefined) return undefined;
  const { _metadata, ...columns } = row as Record<string, unknown>;
  for (const [name, value] of Object.entries(columns))
    if (value instanceof ArrayBuffer) columns[name] = new Uint8Array(value);
  return columns;
}

/** Whether an error means that another process holds the lock; the two implementations report it differently. */
export function isLockedError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { errcode, code } = error as { errcode?: number; code?: string };
  const busy = 5;
  return errcode === busy || code === 'SQLITE_BUSY';
}
