import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';
import { DirectoryLockedError, lockDirectory } from '../src/dir-lock.ts';
import { openSqlite } from '../src/sqlite.ts';

const lockModule = fileURLToPath(new URL('../src/dir-lock.ts', import.meta.url));

function temporaryDirectory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'memrelay-sqlite-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return dir;
}

/** Another process, on a Node without SQLite, that tries to lock the directory and prints the result. */
async function lockWithLibsql(dir: string): Promise<{ process: ChildProcess; said: string }> {
  const script = `
    process.getBuiltinModule = undefined;
    const { lockDirectory } = await import(${JSON.stringify(lockModule)});
    try { lockDirectory(${JSON.stringify(dir)}); console.log('locked'); setInterval(() => {}, 1000); }
    catch (error) { console.log(error.name); }`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [said] = await once(child.stdout!, 'data');
  return { process: child, said: String(said).trim() };
}

it('a directory locked by a process without node:sqlite is locked for one with it, until that process is killed', async () => {
  const dir = temporaryDirectory();
  const other = await lockWithLibsql(dir);
  expect(other.said).toBe('locked');
  expect(() => lockDirectory(dir)).toThrow(DirectoryLockedError);
  other.process.kill('SIGKILL');
  await once(other.process, 'exit');
  lockDirectory(dir).release();
});

it('a directory locked by a process with node:sqlite is locked for one without it', async () => {
  const dir = temporaryDirectory();
  const lock = lockDirectory(dir);
  expect((await lockWithLibsql(dir)).said).toBe('DirectoryLockedError');
  lock.release();
});

it('both implementations read what the other wrote, with the same values', () => {
  const path = join(temporaryDirectory(), 'chain.sqlite');
  const values = ['text', 2 ** 40, new Uint8Array([0, 1, 255]), null] as const;
  const open = { own: () => openSqlite(path), libsql: () => withoutNodeSqlite(() => openSqlite(path)) };
  const written = open.own();
  written.exec('CREATE TABLE t (a TEXT, b INTEGER, c BLOB, d TEXT)');
  written.prepare('INSERT INTO t VALUES (?, ?, ?, ?)').run(...values);
  written.close();
  const other = open.libsql();
  other.prepare('INSERT INTO t VALUES (?, ?, ?, ?)').run(...values);
  other.close();
  for (const database of [open.own(), open.libsql()]) {
    const rows = database.prepare('SELECT * FROM t WHERE b > ? LIMIT ?').all(1, 5);
    expect(rows.map((row) => Object.values(row as object).map(plain))).toEqual(
      [values, values].map((each) => each.map(plain)),
    );
    expect(Object.values(database.prepare('SELECT * FROM t').get() as object).map(plain)).toEqual(
      values.map(plain),
    );
    database.close();
  }
});

const plain = (value: unknown): unknown => (value instanceof Uint8Array ? [...value] : value);

function withoutNodeSqlite<T>(work: () => T): T {
  const spy = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never);
  try {
    return work();
  } finally {
    spy.mockRestore();
  }
}
