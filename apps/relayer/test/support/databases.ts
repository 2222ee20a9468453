import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fillEmbeddedDirectory } from '@memrelay/dev-env/embedded-directory';
import { createTestDatabase } from '@memrelay/dev-env/services/test-database';
import { pino } from 'pino';
import type { Db } from '../../src/base/db/db.ts';
import { migrate } from '../../src/base/db/migrate.ts';
import { openDatabase } from '../../src/base/db/open-database.ts';

export interface TestDb {
  db: Db;
  url: string;
  drop(): Promise<void>;
}

const silent = pino({ level: 'silent' });

async function onPostgres(adminUrl: string): Promise<TestDb> {
  const database = await createTestDatabase(adminUrl);
  const db = await openDatabase(database.url, silent);
  await migrate(db);
  return {
    db,
    url: database.url,
    async drop() {
      await db.close();
      await database.drop();
    },
  };
}

async function onPglite(): Promise<TestDb> {
  const directory = await mkdtemp(join(tmpdir(), 'memrelay-pglite-'));
  await fillEmbeddedDirectory(directory);
  const url = `pglite:${directory}`;
  const db = await openDatabase(url, silent);
  await migrate(db);
  return {
    db,
    url,
    async drop() {
      await db.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const adminUrl = process.env.MEMRELAY_TEST_DATABASE_URL;

/** Every kind of database available here: the same tests run on each. */
export const databases: readonly { name: string; create: () => Promise<TestDb> }[] = [
  ...(adminUrl ? [{ name: 'postgres', create: () => onPostgres(adminUrl) }] : []),
  { name: 'pglite', create: onPglite },
];
