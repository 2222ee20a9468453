import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Db } from '../../src/base/db/db.ts';
import { migrate } from '../../src/base/db/migrate.ts';
import { openDatabase } from '../../src/base/db/open-database.ts';
import { unpackDatabase } from '../../src/base/db/unpack-database.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'memrelay-new-database-'));
});
afterAll(() => rm(folder, { recursive: true }));

const open = (directory: string) => openDatabase(`pglite:${directory}`, pino({ enabled: false }));

/** Every column and index. */
async function columnsOf(db: Db): Promise<unknown[]> {
  const { rows: columns } = await db.query(
    "SELECT table_name, column_name, data_type, column_default, is_nullable FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2",
  );
  const { rows: indexes } = await db.query(
    "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1",
  );
  return [...columns, ...indexes];
}

test('the database in a build has all tables, and only its owner can read it', async () => {
  const file = join(folder, 'new-database.tar.br');
  const builder = fileURLToPath(new URL('../../build/new-database.mjs', import.meta.url));
  execFileSync(process.execPath, [builder, file]);
  expect((await stat(file)).size).toBeLessThan(2.5e6);
  const directory = join(folder, 'unpacked');
  await mkdir(directory);
  expect(await unpackDatabase(join(directory, 'pgdata'), pathToFileURL(file))).toBe(true);
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const { mode } = await stat(join(entry.parentPath, entry.name));
    expect(mode & 0o777).toBe(entry.isDirectory() ? 0o700 : 0o600);
  }
  const db = await open(directory);
  expect(await migrate(db)).toEqual([]);
  const made = await open(join(folder, 'initdb'));
  await migrate(made);
  expect(await columnsOf(db)).toEqual(await columnsOf(made));
  await made.close();
  await db.close();
  const again = await open(directory);
  expect((await again.query("SELECT '[1,2]'::vector::text AS vector")).rows).toEqual([{ vector: '[1,2]' }]);
  await again.close();
});

test('a database whose first start was interrupted is made again', async () => {
  const directory = join(folder, 'interrupted');
  await mkdir(join(directory, 'pgdata.new'), { recursive: true });
  await writeFile(join(directory, 'pgdata.new', 'PG_VERSION'), '17\n');
  const db = await open(directory);
  await migrate(db);
  await db.close();
  expect((await readdir(directory)).filter((name) => name.startsWith('pgdata'))).toEqual(['pgdata']);
});
