import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { lockDirectory } from '@memrelay/process/dir-lock';
import { setOptimizingWasm } from '../wasm-optimizing.ts';
import type { Db, Queryable, QueryResult, SqlValue } from './db.ts';
import type { WorkerReply } from './pglite-worker.ts';

/** An error the database answered; `code` is its SQLSTATE, as with the `pg` driver. */
export class DatabaseError extends Error {
  override name = 'DatabaseError';
  readonly code: string | undefined;
  constructor(message: string, code: string | undefined) {
    super(message);
    this.code = code;
  }
}

/** The thread returns a Uint8Array for each Buffer; the rest of the relayer expects a Buffer, as from `pg`. */
function withBuffers<Row>(rows: unknown[]): Row[] {
  for (const row of rows as Record<string, unknown>[])
    for (const key in row) {
      const value = row[key];
      if (value instanceof Uint8Array && !Buffer.isBuffer(value))
        row[key] = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
  return rows as Row[];
}

/**
 * V8 does not optimize WebAssembly in this process. It would spend half a second of processor time and 500 MB, which it frees
 * afterwards, on one function of 100 KB that every start calls often enough. Without it, short statements take up to 40 %
 * longer (0.3 ms instead of 0.25), and an exact search of 4,000 vectors a tenth (measured).
 */
const optimizesWasm = false;

/** Starts the thread and waits until the database is open. */
async function startWorker(dataDir: string): Promise<Worker> {
  const worker = new Worker(new URL('./pglite-worker.ts', import.meta.url), { workerData: { dataDir } });
  await once(worker, 'message');
  return worker;
}

/** Renames the database once it is complete: what was interrupted halfway would look like a database. */
async function makeDatabase(dataDir: string): Promise<void> {
  const unfinished = `${dataDir}.new`;
  await rm(unfinished, { recursive: true, force: true });
  const maker = new Worker(new URL('./make-database.ts', import.meta.url), {
    workerData: { directory: unfinished },
  });
  await once(maker, 'exit');
  await rename(unfinished, dataDir);
}

/**
 * Opens the embedded database in `dataDir`, creating it when it is not there. Throws when another process holds
 * the directory: two processes on one PGlite directory lose data silently (measured). `onLost` is called when its thread
 * has ended: every further query fails until the process is restarted.
 */
export async function openPglite(dataDir: string, onLost: (error: Error) => void): Promise<Db> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const lock = lockDirectory(dataDir);
  const waiting = new Map<
    number,
    { resolve: (reply: WorkerReply) => void; reject: (error: Error) => void }
  >();
  let nextId = 0;
  let failed: Error | undefined;
  setOptimizingWasm(optimizesWasm);
  const database = join(dataDir, 'pgdata');
  const open = async (): Promise<Worker> => {
    if (!existsSync(join(database, 'PG_VERSION'))) await makeDatabase(database);
    return startWorker(database);
  };
  const worker = await open().catch((error: unknown) => {
    lock.release();
    throw error;
  });
  let closing = false;
  const fail = (error: Error): void => {
    if (failed) return;
    failed = error;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    if (!closing) onLost(error);
  };
  worker.on('error', fail);
  worker.on('exit', () => fail(new Error('the embedded database has ended')));
  worker.on('message', (reply: WorkerReply | 'closed') => {
    if (reply === 'closed') return;
    waiting.get(reply.id)?.resolve(reply);
    waiting.delete(reply.id);
  });

  async function send<Row>(sql: string, params?: readonly SqlValue[]): Promise<QueryResult<Row>> {
    if (failed) throw failed;
    const id = nextId++;
    const reply = await new Promise<WorkerReply>((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      worker.postMessage({ id, sql, ...(params ? { params } : {}) });
    });
    if (!reply.ok) throw new DatabaseError(reply.message, reply.code);
    return { rows: withBuffers<Row>(reply.rows), rowCount: reply.rowCount };
  }

  // One connection: a transaction holds it until it ends, everything else waits its turn in order
  let last: Promise<unknown> = Promise.resolve();
  function exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work, work);
    last = result.catch(() => undefined);
    return result;
  }
  const inside: Queryable = { query: (sql, params) => send(sql, params ?? []) };

  return {
    kind: 'pglite',
    query: (sql, params) => exclusively(() => send(sql, params ?? [])),
    transaction: (work) =>
      exclusively(async () => {
        await send('BEGIN');
        try {
          const result = await work(inside);
          await send('COMMIT');
          return result;
        } catch (error) {
          await send('ROLLBACK').catch(() => undefined);
          throw error;
        }
      }),
    close: () =>
      exclusively(async () => {
        if (closing) return;
        closing = true;
        if (!failed) {
          worker.postMessage('close');
          await once(worker, 'exit');
        }
        lock.release();
      }),
  };
}
