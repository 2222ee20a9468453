import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { secretRing } from '@memrelay/envelope/at-rest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createIdempotency, type RepeatableWrite } from '../../src/jobs/queue/idempotency.ts';
import { insertJobs, type NewJob } from '../../src/jobs/rows/accept-jobs.ts';
import { databases, type TestDb } from '../support/databases.ts';

describe.each(databases)('idempotency keys on $name', ({ create }) => {
  let database: TestDb;
  const secrets = [randomBytes(32)];
  const indexSecret = randomBytes(32);
  beforeAll(async () => {
    database = await create();
  });
  afterAll(() => database.drop());
  const idempotency = () => createIdempotency(database.db, secretRing(secrets), indexSecret);

  function newWrite(more: Partial<RepeatableWrite> = {}): RepeatableWrite {
    return {
      accountId: randomBytes(32),
      delegatePk: randomBytes(32),
      route: '/api/remember',
      key: randomUUID(),
      bodySha256: randomBytes(32),
      ...more,
    };
  }

  /** Writes as a request does; the ids are those in its response. */
  async function store(write: RepeatableWrite): Promise<string[]> {
    const job: NewJob = {
      id: randomUUID(),
      accountId: write.accountId,
      owner: `0x${'ab'.repeat(32)}`,
      namespace: 'default',
      delegatePk: write.delegatePk,
      outbox: randomBytes(60),
      envelope: randomBytes(100),
      envelopeId: undefined,
      envelopeSha256: randomBytes(32),
      importance: 0.5,
    };
    const isNew = await insertJobs(database.db, [job], 'queued', idempotency().rowFor(write, [job.id]));
    return isNew ? [job.id] : idempotency().earlierAnswer(write);
  }
  const jobsOf = async (accountId: Buffer): Promise<number> => {
    const { rows } = await database.db.query('SELECT 1 FROM memory_job WHERE account_id = $1', [accountId]);
    return rows.length;
  };

  test('stores once for ten concurrent requests, which all get the same response', async () => {
    const write = newWrite();
    const answers = await Promise.all(Array.from({ length: 10 }, () => store(write)));
    expect(new Set(answers.map(String)).size).toBe(1);
    expect(await jobsOf(write.accountId)).toBe(1);
  });

  test('stores one of two concurrent bodies under one key, and rejects the other', async () => {
    const write = newWrite();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, () => store({ ...write, bodySha256: randomBytes(32) })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBe(1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ code: 'idempotency_key_reused' });
    expect(await jobsOf(write.accountId)).toBe(1);
  });

  test.each(['accountId', 'delegatePk', 'route', 'key'] as const)(
    'treats another %s as another write',
    async (part) => {
      const write = newWrite();
      const first = await store(write);
      const other = newWrite()[part];
      expect(await store({ ...write, [part]: part === 'route' ? '/api/remember/bulk' : other })).not.toEqual(
        first,
      );
      expect(await store(write)).toEqual(first);
    },
  );

  test('expires a key after a day, and deletes it', async () => {
    const [old, young] = [newWrite(), newWrite()];
    const first = await store(old);
    const kept = await store(young);
    await database.db.query(
      "UPDATE idempotency SET created_at = now() - interval '25 hours' WHERE account_id = $1",
      [old.accountId],
    );
    expect(await store({ ...old, bodySha256: randomBytes(32) })).not.toEqual(first);
    await database.db.query(
      "UPDATE idempotency SET created_at = now() - interval '25 hours' WHERE account_id = $1",
      [old.accountId],
    );
    await idempotency().purge();
    await expect(idempotency().earlierAnswer(old)).rejects.toMatchObject({ code: 'internal_error' });
    expect(await store(young)).toEqual(kept);
  });

  test('finds the response to a repeated request after the server secret was rotated', async () => {
    const write = newWrite();
    const first = await store(write);
    secrets.unshift(randomBytes(32));
    expect(await store(write)).toEqual(first);
  });

  test('stores neither key, body nor response in plain text', async () => {
    const write = newWrite({ key: 'a-key-that-tells-something' });
    const [jobId] = await store(write);
    const { rows } = await database.db.query('SELECT * FROM idempotency WHERE account_id = $1', [
      write.accountId,
    ]);
    const dump = rows
      .flatMap((row) => Object.values(row as Record<string, unknown>))
      .map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : String(value)))
      .join('\n');
    expect(dump).not.toContain(write.key);
    expect(dump).not.toContain(write.bodySha256.toString('latin1'));
    expect(dump).not.toContain(jobId);
    // Nor a value that could verify a guess, or show that two accounts used the same key
    expect(dump).not.toContain(createHash('sha256').update(write.key).digest().toString('latin1'));
    const other = newWrite({ key: write.key, bodySha256: write.bodySha256 });
    const [mine, theirs] = [write, other].map((each) => idempotency().rowFor(each, []));
    expect(mine!.keyHash.equals(theirs!.keyHash)).toBe(false);
    expect(mine!.bodyHash.equals(theirs!.bodyHash)).toBe(false);
  });
});
