import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Queryable } from '../../src/base/db/db.ts';
import {
  batchBytes,
  type ClaimedJob,
  claimInTurns,
  claimJobs,
  type Work,
} from '../../src/jobs/rows/claim-jobs.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { mostReadByEarlyPlan, nodesOf, type PlanNode, plansOf, rowsRead } from '../support/query-plan.ts';

const works: { work: Work; stage: string }[] = [
  { work: 'embedding', stage: 'queued' },
  { work: 'uploading', stage: 'uploading' },
];

describe.each(databases)('turns of accounts on $name', ({ name, create }) => {
  let database: TestDb;
  beforeAll(async () => {
    database = await create();
  });
  beforeEach(async () => {
    await database.db.query('TRUNCATE memory_job');
  });
  afterAll(() => database.drop());

  /** An account with a known position in the rotation: `at` is the first byte of its id. */
  const accountAt = (at: number): Buffer => Buffer.concat([Buffer.from([at]), randomBytes(31)]);

  /** Inserts due jobs of an account, one second apart, the first of them `age` seconds old. */
  async function queue(
    accountId: Buffer,
    count: number,
    stage: string,
    age = 100_000,
    db: Queryable = database.db,
  ): Promise<void> {
    await db.query(
      `INSERT INTO memory_job (id, account_id, owner, namespace, delegate_pk, stage, outbox, envelope, envelope_sha256, run_at)
       SELECT gen_random_uuid(), $1, '0x', 'default', '', $3, '', '', '', now() + make_interval(secs => i - $4::int)
       FROM generate_series(1, $2::int) AS i`,
      [accountId, count, stage, age],
    );
  }
  const placesOf = (jobs: readonly ClaimedJob[]): number[] => jobs.map(({ accountId }) => accountId[0]!);

  describe.each(works)('at $work', ({ work, stage }) => {
    test("do not delay another account's later job behind 5,000 jobs of one account", async () => {
      await queue(accountAt(1), 5_000, stage);
      const next = claimInTurns(database.db, work);
      await next(32, randomUUID());
      await queue(accountAt(2), 1, stage, 2);
      expect(placesOf(await next(32, randomUUID()))).toContain(2);
      await queue(accountAt(3), 1, stage, 2);
      const one = claimInTurns(database.db, work);
      const first = placesOf([...(await one(1, randomUUID())), ...(await one(1, randomUUID()))]);
      expect(first).toEqual([1, 3]);
    });

    test('share a batch equally, oldest jobs of each first, and fill the rest from the longest queue', async () => {
      await queue(accountAt(1), 9, stage);
      await queue(accountAt(2), 1, stage);
      await queue(accountAt(3), 2, stage);
      const jobs = await claimJobs(database.db, work, 8, randomUUID());
      expect(placesOf(jobs)).toEqual([1, 1, 1, 1, 1, 2, 3, 3]);
      const { rows } = await database.db.query<{ id: string }>(
        'SELECT id FROM memory_job WHERE get_byte(account_id, 0) = 1 ORDER BY run_at LIMIT 5',
      );
      const taken = jobs.filter(({ accountId }) => accountId[0] === 1).map(({ id }) => id);
      expect(new Set(taken)).toEqual(new Set(rows.map(({ id }) => id)));
      expect(placesOf(await claimJobs(database.db, work, 8, randomUUID()))).toEqual([1, 1, 1, 1]);
      expect(await claimJobs(database.db, work, 8, randomUUID())).toEqual([]);
    });

    test("give every other waiting account a turn before an account's next one", async () => {
      for (const at of [0, 40, 41, 200, 255]) await queue(accountAt(at), 6, stage);
      const next = claimInTurns(database.db, work);
      const turns: number[] = [];
      for (let claims = 0; claims < 10; claims++) turns.push(...placesOf(await next(3, randomUUID())));
      const ring = [0, 40, 41, 200, 255];
      expect(turns).toEqual(Array.from({ length: 30 }, (_, i) => ring[i % 5]));
    });

    test('skip accounts whose jobs are all running or scheduled later', async () => {
      await queue(accountAt(1), 3, stage);
      await claimJobs(database.db, work, 3, randomUUID());
      await queue(accountAt(2), 3, stage, -60);
      await queue(accountAt(3), 1, stage);
      expect(placesOf(await claimJobs(database.db, work, 2, randomUUID()))).toEqual([3]);
    });

    test('claim in a few index steps with 20,000 jobs of one account, 300 of them running', async () => {
      await queue(accountAt(7), 20_000, stage);
      for (let at = 50; at < 56; at++) await queue(accountAt(at), 2, stage);
      await database.db.query(
        `UPDATE memory_job SET lease_until = now() + interval '1 hour'
         WHERE id IN (SELECT id FROM memory_job ORDER BY run_at LIMIT 300)`,
      );
      await database.db.query('ANALYZE memory_job');
      for (const limit of [1, 32]) {
        const [plan] = await plansOf(database.db, (db) => claimJobs(db, work, limit, randomUUID()));
        expectFewSteps(plan!);
      }
    });

    if (name === 'postgres')
      test('claim in a few index steps with a plan made for an empty table', async () => {
        const read = await mostReadByEarlyPlan(
          database.db,
          (db) => claimJobs(db, work, 32, randomUUID()),
          (tx) => queue(accountAt(7), 20_000, stage, 100_000, tx),
        );
        expect(read).toBeGreaterThan(32);
        expect(read).toBeLessThan(2_000);
      });

    function expectFewSteps(plan: PlanNode): void {
      const scans = nodesOf(plan).filter((node) => node['Node Type'].includes('Scan'));
      const onTable = scans.filter((node) => node['Index Name'] !== undefined);
      const index = `memory_job_to_${work === 'embedding' ? 'embed' : 'upload'}`;
      expect(new Set(onTable.map((node) => node['Index Name']))).toEqual(new Set([index, 'memory_job_pkey']));
      expect(scans.map((node) => node['Node Type'])).not.toContain('Seq Scan');
      // The 300 running jobs are skipped by each part of the statement
      expect(scans.reduce((sum, node) => sum + rowsRead(node), 0)).toBeLessThan(2_000);
    }
  });

  test("fill an account's share with one long text, and leave the rest of the batch to others", async () => {
    await queue(accountAt(1), 32, 'queued');
    await database.db.query('UPDATE memory_job SET outbox = $1', [Buffer.alloc(batchBytes)]);
    const next = claimInTurns(database.db, 'embedding');
    expect(placesOf(await next(32, randomUUID()))).toEqual([1]);
    await queue(accountAt(2), 3, 'queued', 10);
    expect(placesOf(await next(32, randomUUID())).sort()).toEqual([1, 2, 2, 2]);
    await database.db.query("UPDATE memory_job SET outbox = '\\x' WHERE lease_token IS NULL");
    expect(await next(32, randomUUID())).toHaveLength(30);
  });

  test.runIf(name === 'postgres')(
    "never give one job to two of several relayers, and serve the other account's job early",
    async () => {
      await queue(accountAt(1), 5_000, 'queued');
      await queue(accountAt(9), 1, 'queued', 2);
      const relayers = Array.from({ length: 4 }, () => claimInTurns(database.db, 'embedding'));
      const order: ClaimedJob[] = [];
      await Promise.all(
        relayers.map(async (next) => {
          for (;;) {
            const jobs = await next(32, randomUUID());
            order.push(...jobs);
            if (order.length > 5_000) return;
            const ids = jobs.map(({ id }) => id);
            await database.db.query("UPDATE memory_job SET status = 'done' WHERE id = ANY($1::uuid[])", [
              ids,
            ]);
          }
        }),
      );
      expect(new Set(order.map(({ id }) => id)).size).toBe(5_001);
      expect(order.length).toBe(5_001);
      expect(placesOf(order).indexOf(9)).toBeLessThan(4 * 32);
    },
  );
});
