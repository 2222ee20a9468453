import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../src/services/test-database.ts';
import { runBackupDrill } from '../drills/backup-drill.ts';

/** The short form of `npm run drill:backup`. */
const { MEMRELAY_TEST_DATABASE_URL: adminUrl, MEMRELAY_TEST_REDIS_URL: redisUrl } = process.env;
const hasBoth =
  adminUrl !== undefined && redisUrl !== undefined && process.env.MEMRELAY_TEST_BACKEND !== 'embedded';

test.runIf(hasBoth)(
  'a backup, or the chain alone, brings every memory back and reopens no request',
  async () => {
    const key = (): string => randomBytes(32).toString('hex');
    let machines = 0;
    const result = await runBackupDrill({
      memories: 24,
      keys: { MEM_SERVER_SECRET: key(), MEM_INDEX_KEY: key(), MEM_WRITER_KEYS: key() },
      async emptyMachine() {
        const { url, drop } = await createTestDatabase(adminUrl!);
        // Each numbered database of a Redis is a separate store of nonces
        machines += 1;
        return { databaseUrl: url, redisUrl: `${redisUrl}/${machines + 4}`, drop };
      },
      // All clocks of this test are right, so no request was signed ahead of the time at which it was accepted
      stoppedAt: (killedAt) => new Date(killedAt.getTime() - 305_000),
      note: () => undefined,
    });
    expect(result).toMatchObject({
      fromBackup: { lost: 0, duplicates: 0 },
      withChain: { lost: 0, duplicates: 0 },
      fromChain: { lost: 0, duplicates: 0 },
      replays: { '503 auth_unavailable': 2 },
    });
    expect(result.beforeBackup).toBeGreaterThanOrEqual(24);
    expect(result.afterBackup.acknowledged).toBeGreaterThan(0);
  },
  300_000,
);
