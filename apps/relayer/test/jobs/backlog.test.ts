import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Db } from '../../src/base/db/db.ts';
import { type BacklogLimits, createBacklog } from '../../src/jobs/queue/backlog.ts';
import { databases, type TestDb } from '../support/databases.ts';

const overloaded = expect.objectContaining({ code: 'overloaded', status: 503 });

describe.each(databases)('the backlog on $name', ({ create }) => {
  let database: TestDb;
  beforeAll(async () => {
    database = await create();
  });
  beforeEach(async () => {
    await database.db.query('TRUNCATE memory_job');
  });
  afterAll(() => database.drop());

  const [mine, other] = [randomBytes(32), randomBytes(32)];
  async function queue(
    accountId: Buffer,
    count: number,
    stage = 'queued',
    status = 'running',
  ): Promise<void> {
    await database.db.query(
      `INSERT INTO memory_job (id, account_id, owner, namespace, delegate_pk, envelope_sha256, stage, status)
       SELECT gen_random_uuid(), $1, '0x', 'default', '', '', $3, $4 FROM generate_series(1, $2::int)`,
      [accountId, count, stage, status],
    );
  }
  const backlog = (limits: Partial<BacklogLimits>, db: Db = database.db) =>
    createBacklog(db, { perAccount: Infinity, inAll: Infinity, ...limits });

  test('limits each account separately, counting both stages', async () => {
    await queue(mine, 40);
    await queue(mine, 40, 'uploading');
    await queue(mine, 500, 'indexing', 'done');
    await queue(mine, 500, 'queued', 'failed');
    const { admit } = backlog({ perAccount: 100 });
    await admit(mine, 20);
    await expect(admit(mine, 1)).rejects.toEqual(overloaded);
    await expect(admit(mine, 1)).rejects.toMatchObject({ retryAfter: 5 });
    await admit(other, 100);
    await expect(admit(other, 1)).rejects.toEqual(overloaded);
  });

  test('limits all accounts together', async () => {
    await queue(mine, 60);
    await queue(other, 30, 'uploading');
    const { admit } = backlog({ inAll: 100, perAccount: 1_000 });
    await expect(admit(mine, 11)).rejects.toEqual(overloaded);
    await admit(mine, 10);
    for (const account of [mine, other, randomBytes(32)])
      await expect(admit(account, 1)).rejects.toEqual(overloaded);
  });

  test('admits jobs again after others have ended', async () => {
    await queue(mine, 100);
    const { admit } = backlog({ perAccount: 100, inAll: 100 });
    await expect(admit(mine, 1)).rejects.toEqual(overloaded);
    await database.db.query("UPDATE memory_job SET status = 'done'");
    const accepted = () =>
      admit(mine, 1).then(
        () => true,
        () => false,
      );
    await expect.poll(accepted, { timeout: 10_000 }).toBe(true);
  });

  test('admits as many concurrent jobs as fit, with a single count query', async () => {
    let counts = 0;
    const counted: Db = {
      ...database.db,
      query: (...call) => {
        counts += 1;
        return database.db.query(...call);
      },
    };
    const { admit } = backlog({ perAccount: 100 }, counted);
    const calls = await Promise.allSettled(Array.from({ length: 50 }, () => admit(mine, 20)));
    expect(calls.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    expect(counts).toBe(1);
  });

  test('does not query a limit that is off', async () => {
    const { admit } = backlog({}, { ...database.db, query: () => Promise.reject(new Error('was asked')) });
    await admit(mine, 1_000_000);
  });
});
