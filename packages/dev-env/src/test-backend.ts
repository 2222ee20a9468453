import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase } from './services/test-database.ts';

/** Where a relayer under test keeps its rows and nonces. */
export interface TestBackend {
  name: 'postgres' | 'embedded';
  databaseUrl: string;
  redisUrl: string | undefined;
  drop(): Promise<void>;
}

/**
 * A fresh database: on the Postgres and Redis that the test run provides, or, with MEMRELAY_TEST_BACKEND=embedded or
 * without a Postgres, the embedded one in a temporary directory.
 */
export async function createTestBackend(environment: NodeJS.ProcessEnv = process.env): Promise<TestBackend> {
  const adminUrl = environment.MEMRELAY_TEST_DATABASE_URL;
  if (!adminUrl || environment.MEMRELAY_TEST_BACKEND === 'embedded') {
    const directory = await mkdtemp(join(tmpdir(), 'memrelay-database-'));
    return {
      name: 'embedded',
      databaseUrl: `pglite:${directory}`,
      redisUrl: undefined,
      drop: () => rm(directory, { recursive: true, force: true }),
    };
  }
  const database = await createTestDatabase(adminUrl);
  return {
    name: 'postgres',
    databaseUrl: database.url,
    redisUrl: environment.MEMRELAY_TEST_REDIS_URL,
    drop: () => database.drop(),
  };
}
