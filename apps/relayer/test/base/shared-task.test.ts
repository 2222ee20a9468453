import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/base/db/open-database.ts';
import { createSharedTask } from '../../src/base/rows/shared-tasks.ts';
import { databases, type TestDb } from '../support/databases.ts';

/** The embedded database has one relayer only. */
const shared = databases.filter(({ name }) => name === 'postgres');

describe.each(shared)('work that several relayers share, on $name', ({ create }) => {
  let database: TestDb;
  beforeAll(async () => {
    database = await create();
  });
  afterAll(() => database?.drop());

  const leaseEnd = async (): Promise<number> => {
    const { rows } = await database.db.query<{ lease_until: Date }>('SELECT lease_until FROM shared_task');
    return rows[0]!.lease_until.getTime();
  };

  test('stays with one relayer while its process lives, however long it takes, and passes to another soon after it dies', async () => {
    const leaseMs = 300;
    const dying = await openDatabase(database.url, pino({ enabled: false }));
    const first = await createSharedTask(dying, 'a long task', leaseMs);
    const second = await createSharedTask(database.db, 'a long task', leaseMs);
    expect(await first.claim()).toMatchObject({ failures: 0 });
    const begin = await leaseEnd();
    await expect.poll(leaseEnd, { timeout: 20_000, interval: 10 }).toBeGreaterThan(begin + leaseMs);
    expect(await second.claim()).toBeUndefined();

    await dying.close();
    await expect.poll(() => second.claim(), { timeout: 20_000, interval: 20 }).toBeDefined();
  });
});
