import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Db } from '../../src/base/db/db.ts';
import { createStorageBudget } from '../../src/jobs/queue/storage-budget.ts';
import { databases, type TestDb } from '../support/databases.ts';

const full = expect.objectContaining({ code: 'storage_limit_reached', status: 507 });

describe.each(databases)('the storage budget on $name', ({ create }) => {
  let database: TestDb;
  let queries: number;
  let counted: Db;
  let clock: { ms: number };
  const [mine, other] = [randomBytes(32), randomBytes(32)];

  beforeAll(async () => {
    database = await create();
  });
  beforeEach(async () => {
    await database.db.query('TRUNCATE memory, memory_job CASCADE');
    queries = 0;
    clock = { ms: 0 };
    counted = {
      ...database.db,
      query: (...call) => {
        queries += 1;
        return database.db.query(...call);
      },
    };
  });
  afterAll(() => database?.drop());

  const store = (accountId: Buffer, size: number, state = 'done') =>
    database.db.query(
      `INSERT INTO memory (account_id, id, namespace, state, envelope_sha256, size, lost_reason)
       VALUES ($1, gen_random_uuid(), 'default', $2::text, '', $3, CASE WHEN $2 = 'lost' THEN 'missing' END)`,
      [accountId, state, size],
    );
  const queue = (accountId: Buffer, size: number, { stage = 'queued', status = 'running', kind = 1 } = {}) =>
    database.db.query(
      `INSERT INTO memory_job (id, account_id, owner, namespace, delegate_pk, envelope_sha256, envelope, stage, status, kind)
       VALUES (gen_random_uuid(), $1, '0x', 'default', '', '', $2, $3, $4, $5)`,
      [accountId, Buffer.alloc(size), stage, status, kind],
    );
  const budget = (maxBytes: number) => createStorageBudget(counted, maxBytes, () => clock.ms);

  test('counts stored and accepted memories of one account', async () => {
    for (const state of ['done', 'pending', 'lost']) await store(mine, 100, state);
    await store(mine, 5_000, 'failed');
    await queue(mine, 100);
    await queue(mine, 100, { stage: 'embedding' });
    // Its memory has a row
    await queue(mine, 5_000, { stage: 'uploading' });
    await queue(mine, 5_000, { status: 'failed' });
    // A tombstone
    await queue(mine, 5_000, { kind: 2 });
    await store(other, 5_000);
    const { admit } = budget(1_000);
    await expect(admit(mine, 501)).rejects.toEqual(full);
    await expect(admit(mine, 501)).rejects.toMatchObject({
      details: { limit_bytes: 1_000, stored_bytes: 500, bytes: 501 },
      retryAfter: undefined,
    });
    await admit(mine, 500);
    await expect(admit(mine, 1)).rejects.toEqual(full);
    await expect(admit(mine, 0)).rejects.toEqual(full);
  });

  test('admits as many concurrent writes as fit, with a single query', async () => {
    await store(mine, 1_000);
    const { admit } = budget(2_000);
    const calls = await Promise.allSettled(Array.from({ length: 50 }, () => admit(mine, 100)));
    expect(calls.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect(queries).toBe(1);
  });

  test('does not query again for a minute while an account is far from its limit, and more often near it', async () => {
    const { admit } = budget(1_000_000);
    for (let i = 0; i < 100; i++) await admit(mine, 10);
    clock.ms = 59_000;
    await admit(mine, 10);
    expect(queries).toBe(1);
    await store(mine, 950_000);
    clock.ms = 61_000;
    await admit(mine, 10);
    clock.ms = 63_500;
    await admit(mine, 10);
    expect(queries).toBe(2);
    clock.ms = 65_000;
    await admit(mine, 10);
    expect(queries).toBe(3);
  });

  test('admits again within a second after memories were forgotten', async () => {
    await store(mine, 1_000);
    const { admit } = budget(1_000);
    await expect(admit(mine, 100)).rejects.toEqual(full);
    await database.db.query('DELETE FROM memory');
    await expect(admit(mine, 100)).rejects.toEqual(full);
    clock.ms = 1_000;
    await admit(mine, 100);
    expect(queries).toBe(2);
  });

  test('does not query when the limit is off', async () => {
    await budget(Infinity).admit(mine, 1e12);
    expect(queries).toBe(0);
  });
});
