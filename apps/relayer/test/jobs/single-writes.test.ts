import { randomBytes, randomUUID } from 'node:crypto';
import { secretRing } from '@memrelay/envelope/at-rest';
import { ApiError } from '@memrelay/protocol/errors';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Db } from '../../src/base/db/db.ts';
import { createIdempotency, type RepeatableWrite } from '../../src/jobs/queue/idempotency.ts';
import { createSingleWrites } from '../../src/jobs/queue/single-writes.ts';
import type { NewJob } from '../../src/jobs/rows/accept-jobs.ts';
import { databases, type TestDb } from '../support/databases.ts';

/** Writes that come in one turn of the event loop: they share a statement, and behave as one after the other. */
describe.each(databases)('writes that come together on $name', ({ create }) => {
  let database: TestDb;
  /** Statements that write jobs, with what each of them does before */
  let statements: number;
  let before: ((statement: number) => void) | undefined;
  const [secret, account, delegate] = [1, 2, 3].map(() => randomBytes(32)) as [Buffer, Buffer, Buffer];
  beforeAll(async () => {
    database = await create();
  });
  beforeEach(async () => {
    statements = 0;
    before = undefined;
    for (const table of ['memory_job', 'known_text', 'idempotency'])
      await database.db.query(`DELETE FROM ${table}`);
  });
  afterAll(() => database?.drop());

  const counted = (): Db => ({
    ...database.db,
    async query(...call) {
      if (call[0].includes('INSERT INTO memory_job')) before?.(++statements);
      return database.db.query(...call);
    },
  });
  const idempotency = () => createIdempotency(database.db, secretRing([secret]), secret);

  const newJob = (more: Partial<NewJob> = {}): NewJob => ({
    id: randomUUID(),
    accountId: account,
    owner: `0x${'ab'.repeat(32)}`,
    namespace: 'default',
    delegatePk: delegate,
    outbox: randomBytes(60),
    envelope: randomBytes(100),
    envelopeId: randomBytes(16),
    envelopeSha256: randomBytes(32),
    importance: 0.5,
    ...more,
  });
  const newWrite = (key: string, bodySha256 = Buffer.alloc(32)): RepeatableWrite => {
    return { accountId: account, delegatePk: delegate, route: '/api/remember', key, bodySha256 };
  };

  type Outcome = string | { refused: unknown };
  /** Each as a request does: the id in its answer, or why it was refused */
  async function together(...writes: { job: NewJob; write?: RepeatableWrite }[]): Promise<Outcome[]> {
    before ??= () => undefined;
    const { insert } = createSingleWrites(counted());
    return Promise.all(
      writes.map(async ({ job, write }) => {
        try {
          const key = write && idempotency().rowFor(write, job.id);
          if (await insert({ job, key })) return job.id;
          return await idempotency().earlierAnswer<string>(write!);
        } catch (error) {
          return { refused: (error as { code?: string }).code };
        }
      }),
    );
  }
  async function stored(): Promise<Map<string, boolean>> {
    const { rows } = await database.db.query<{ id: string; duplicate: boolean }>(
      'SELECT id, duplicate FROM memory_job',
    );
    return new Map(rows.map(({ id, duplicate }) => [id, duplicate]));
  }

  test('are stored by one statement, whatever their number', async () => {
    for (const count of [1, 2, 3, 5, 32]) {
      statements = 0;
      const jobs = Array.from({ length: count }, () => newJob());
      expect(await together(...jobs.map((job) => ({ job })))).toEqual(jobs.map(({ id }) => id));
      expect(statements).toBe(1);
      for (const { id } of jobs) expect((await stored()).get(id)).toBe(false);
    }
  });

  test('keep every field of their jobs', async () => {
    const job = newJob({
      importance: 0.25,
      textHash: randomBytes(32),
      writtenAt: new Date('2026-01-02T03:04:05.678Z'),
      context: { packed: randomBytes(8), tags: [5n, -7n], expiresAt: new Date('2030-01-01') },
    });
    await together({ job }, { job: newJob() }, { job: newJob() });
    const { rows } = await database.db.query('SELECT * FROM memory_job WHERE id = $1', [job.id]);
    expect(rows[0]).toMatchObject({
      account_id: account,
      owner: job.owner,
      namespace: 'default',
      delegate_pk: delegate,
      status: 'running',
      stage: 'queued',
      outbox: job.outbox,
      envelope: job.envelope,
      envelope_id: job.envelopeId,
      envelope_sha256: job.envelopeSha256,
      importance: 0.25,
      text_hash: job.textHash,
      kind: 1,
      written_at: job.writtenAt,
      context_tokens: job.context!.packed,
      expires_at: job.context!.expiresAt,
    });
  });

  test('with the same key get one answer, and another body is refused', async () => {
    const [first, same, other, free] = [newJob(), newJob(), newJob(), newJob()];
    const outcomes = await together(
      { job: first, write: newWrite('k') },
      { job: same, write: newWrite('k') },
      { job: other, write: newWrite('k', randomBytes(32)) },
      { job: free, write: newWrite('l') },
    );
    expect(outcomes).toEqual([first.id, first.id, { refused: 'idempotency_key_reused' }, free.id]);
    expect([...(await stored()).keys()].sort()).toEqual([first.id, free.id].sort());
  });

  test('do not store the one whose key was used before, nor let it keep its text', async () => {
    const textHash = randomBytes(32);
    const [earlier, repeated, other] = [newJob(), newJob({ textHash }), newJob({ textHash })];
    await together({ job: earlier, write: newWrite('k') });
    const outcomes = await together({ job: repeated, write: newWrite('k') }, { job: other });
    expect(outcomes).toEqual([earlier.id, other.id]);
    expect(Object.fromEntries(await stored())).toEqual({ [earlier.id]: false, [other.id]: false });
  });

  test('with equal texts: the first keeps it, the others are its duplicates', async () => {
    const textHash = randomBytes(32);
    const jobs = Array.from({ length: 9 }, (_, i) => newJob(i % 2 === 0 ? { textHash } : {}));
    await together(...jobs.map((job) => ({ job })));
    const found = await stored();
    expect(jobs.map(({ id }) => found.get(id))).toEqual(jobs.map((_, i) => i > 0 && i % 2 === 0));
    const { rows } = await database.db.query('SELECT memory_id FROM known_text');
    expect(rows).toEqual([{ memory_id: jobs[0]!.id }]);
  });

  test('are stored without the one that the database refuses', async () => {
    const [good, bad, another] = [newJob(), newJob({ namespace: 'a\0b' }), newJob()];
    const outcomes = await together({ job: good }, { job: bad }, { job: another, write: newWrite('k') });
    expect(outcomes).toEqual([good.id, { refused: '22021' }, another.id]);
    expect(await stored()).toHaveProperty('size', 2);
  });

  test('are tried one by one after a deadlock, and all refused when the database is away', async () => {
    const fail = (code: 'overloaded' | 'database_unavailable') => (statement: number) => {
      if (statement === 1) throw new ApiError(code);
    };
    before = fail('overloaded');
    const jobs = [newJob(), newJob()];
    expect(await together(...jobs.map((job) => ({ job })))).toEqual(jobs.map(({ id }) => id));
    expect(statements).toBe(3);
    statements = 0;
    before = fail('database_unavailable');
    const refused = { refused: 'database_unavailable' };
    expect(await together({ job: newJob() }, { job: newJob() })).toEqual([refused, refused]);
    // It is not known whether the statement was committed
    expect(statements).toBe(1);
  });
});
