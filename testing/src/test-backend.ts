import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fillEmbeddedDirectory } from './embedded-directory.ts';
import { createTestDatabase } from './services/test-database.ts';

/** The database and nonce store of a relayer under test. */
export interface TestBackend {
  name: 'postgres' | 'embedded';
  databaseUrl: string;
  redisUrl: string | undefined;
  /** The secrets of the relayer that writes this database */
  keys: Readonly<Record<'MEM_SERVER_SECRET' | 'MEM_INDEX_KEY' | 'MEM_WRITER_KEYS', string>>;
  drop(): Promise<void>;
}

/**
 * A fresh database: on the Postgres and Redis that the test run provides, or, with MEMRELAY_TEST_BACKEND=embedded or
 * without a Postgres, the embedded one in a temporary directory.
 */
export async function createTestBackend(environment: NodeJS.ProcessEnv = process.env): Promise<TestBackend> {
  const key = (): string => randomBytes(32).toString('hex');
  const keys = { MEM_SERVER_SECRET: key(), MEM_INDEX_KEY: key(), MEM_WRITER_KEYS: key() };
  const adminUrl = environment.MEMRELAY_TEST_DATABASE_URL;
  if (!adminUrl || environment.MEMRELAY_TEST_BACKEND === 'embedded') {
    const directory = await mkdtemp(join(tmpdir(), 'memrelay-database-'));
    await fillEmbeddedDirectory(directory);
    return {
      name: 'embedded',
      databaseUrl: `pglite:${directory}`,
      redisUrl: undefined,
      keys,
      drop: () => rm(directory, { recursive: true, force: true }),
    };
  }
  const database = await createTestDatabase(adminUrl);
  return {
    name: 'postgres',
    databaseUrl: database.url,
    redisUrl: environment.MEMRELAY_TEST_REDIS_URL,
    keys,
    drop: () => database.drop(),
  };
}
