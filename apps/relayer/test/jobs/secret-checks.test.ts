import { randomBytes, randomUUID } from 'node:crypto';
import { listedCheckValue, secretCheckValue, secretRing } from '@memrelay/envelope/at-rest';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createIdempotency } from '../../src/jobs/queue/idempotency.ts';
import { createOutbox } from '../../src/jobs/queue/outbox.ts';
import { checkSecrets } from '../../src/jobs/queue/secret-checks.ts';
import { insertJobs, type NewJob } from '../../src/jobs/rows/accept-jobs.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { textJob } from '../support/text-job.ts';

const one = (): Buffer => randomBytes(32);

describe.each(databases)('the secrets of a database on $name', ({ create }) => {
  let database: TestDb;
  beforeEach(async () => {
    database = await create();
  });
  afterEach(() => database.drop());

  const [serverSecret, indexKey, writerKey] = [one(), one(), one()];
  interface Boot {
    server?: Buffer[];
    index?: Buffer;
    writers?: Buffer[];
    dropped?: string[];
  }
  const boot = ({ server = [serverSecret], index = indexKey, writers = [writerKey], dropped }: Boot = {}) =>
    checkSecrets(
      database.db,
      { serverSecrets: server, indexKey: index, writerKeys: writers },
      secretRing(server),
      dropped,
    );
  /** The error that stops a boot, as text. */
  const refusal = async (secrets: Boot): Promise<string> => {
    const error = await boot(secrets).then(
      () => undefined,
      (reason: unknown) => reason as Error,
    );
    return error?.message ?? 'it starts';
  };
  const accept = async (createdAt = new Date()): Promise<void> => {
    const job = textJob(randomBytes(32), 'a text', { outbox: undefined });
    await insertJobs(database.db, [job], 'uploading');
    await database.db.query('UPDATE memory_job SET created_at = $1 WHERE id = $2', [createdAt, job.id]);
  };

  test('are all three compared, reported together and never echoed', async () => {
    await boot();
    await boot();
    const others = { server: [one()], index: one(), writers: [one()] };
    const message = await refusal(others);
    expect(
      message
        .split('\n')
        .slice(1)
        .map((line) => line.trim().split(' ')[0]),
    ).toEqual(['MEM_INDEX_KEY', 'MEM_SERVER_SECRET', 'MEM_WRITER_KEYS']);
    for (const secret of [...others.server, others.index, ...others.writers, serverSecret, writerKey])
      expect(message).not.toContain(secret.toString('hex'));
    // A failed boot has changed nothing
    await boot();
  });

  test('do not allow MEM_INDEX_KEY to change', async () => {
    await boot();
    expect(await refusal({ index: one() })).toContain('MEM_INDEX_KEY is not the key');
  });

  test('require a server secret while a text or response is sealed with it, and allow its removal afterwards', async () => {
    const [first, second] = [serverSecret, one()];
    await boot();
    const ring = secretRing([first]);
    const write = {
      accountId: randomBytes(32),
      delegatePk: randomBytes(32),
      route: '/api/remember',
      key: 'k',
      bodySha256: randomBytes(32),
    };
    const address = { id: randomUUID(), accountId: write.accountId, namespace: 'default' };
    const job = textJob(write.accountId, 'waiting', {
      ...address,
      outbox: createOutbox(ring).seal(address, 'waiting'),
    });
    const key = createIdempotency(database.db, ring, indexKey).rowFor(write, [address.id]);
    await insertJobs(database.db, [job], 'queued', key);

    const needed = 'MEM_SERVER_SECRET lacks a secret that is still needed';
    await boot({ server: [second, first] });
    expect(await refusal({ server: [second] })).toContain(needed);
    await database.db.query('UPDATE memory_job SET outbox = NULL');
    expect(await refusal({ server: [second] })).toContain(needed);
    await database.db.query("UPDATE idempotency SET created_at = now() - interval '25 hours'");
    await boot({ server: [second] });
  });

  test('stop the boot if the server secrets share nothing with the former ones, even if nothing is sealed', async () => {
    await boot();
    const server = [one()];
    const message = await refusal({ server });
    expect(message).toContain('MEM_SERVER_SECRET has none of the secrets');
    const [, dropped] = /MEM_DROPPED_SECRETS=([0-9a-f]{32})/.exec(message)!;
    await boot({ server, dropped: [dropped!] });
    await boot({ server });
    expect(await refusal({})).toContain('MEM_SERVER_SECRET has none');
  });

  test('require a writer key that signed memories, anywhere in the list', async () => {
    const newer = one();
    await boot();
    await accept();
    await boot({ writers: [newer, writerKey] });
    expect(await refusal({ writers: [newer] })).toContain(
      'lacks a key that was in use: at most 1 memory would not be shown any more (untrusted_signer). Add',
    );
    await accept();
    const message = await refusal({ writers: [writerKey] });
    expect(message).toContain('MEM_WRITER_KEYS lacks a key');
    expect(message).toContain('Add the former keys to the end of the list');
    await boot({ writers: [writerKey, newer] });
    await boot({ writers: [one(), newer, writerKey] });
  });

  test('stop the boot if the writer keys share nothing with the former ones, and report the loss', async () => {
    await boot();
    expect(await refusal({ writers: [one()] })).toContain(
      'MEM_WRITER_KEYS has none of the keys this database was used with. Add',
    );
    for (let i = 0; i < 3; i++) await accept();
    expect(await refusal({ writers: [one()] })).toContain('at most 3 memories would not be shown');
  });

  test('allow the removal of a writer key that signed nothing', async () => {
    await boot();
    await accept(new Date(Date.now() - 2 * 3_600_000));
    await boot({ writers: [one(), writerKey] });
    await boot();
  });

  test('assume that a writer key retired before this database knew it has signed memories', async () => {
    const retired = one();
    await boot({ writers: [writerKey, retired] });
    await accept(new Date(0));
    expect(await refusal({})).toContain('lacks a key');
    await boot({ writers: [writerKey, retired] });
  });

  test('allow an operator to drop a writer key by the value in the message', async () => {
    await boot();
    await accept();
    const writers = [one()];
    const dropped = /MEM_DROPPED_SECRETS=([0-9a-f,]+)/.exec(await refusal({ writers }))![1]!.split(',');
    expect(await refusal({ writers, dropped: [listedCheckValue('MEM_WRITER_KEYS', one())] })).toContain(
      'has none',
    );
    await boot({ writers, dropped });
    await boot({ writers });
  });

  test('require the writer key of tombstones, because a restore would otherwise bring the memories back', async () => {
    const newer = one();
    await boot();
    await boot({ writers: [newer, writerKey] });
    await database.db.query('INSERT INTO forgotten_memory (account_id, memory_id, tag) VALUES ($1, $2, $3)', [
      randomBytes(32),
      randomUUID(),
      randomBytes(16),
    ]);
    expect(await refusal({ writers: [newer] })).toContain('MEM_WRITER_KEYS lacks a key');
    expect(await refusal({ writers: [writerKey] })).toContain(
      'MEM_WRITER_KEYS lacks a key that was in use: a restore could bring back at most 1 memory that was forgotten. Add',
    );
  });

  test('count each memory that would be lost once, and nothing else', async () => {
    const newer = one();
    await boot();
    await boot({ writers: [newer, writerKey] });
    const accountId = randomBytes(32);
    const job = (more: Partial<NewJob> = {}) => textJob(accountId, 'a text', { outbox: undefined, ...more });
    const imported = job({ writtenAt: new Date('2020-01-01') });
    const [repeated, renewal] = [job(), job()];
    await insertJobs(
      database.db,
      [imported, repeated, renewal, job({ kind: 2 }), job({ kind: 3 })],
      'uploading',
    );
    const { db } = database;
    await db.query('UPDATE memory_job SET duplicate = true WHERE id = $1', [repeated.id]);
    await db.query('UPDATE memory_job SET checkpoint = $2 WHERE id = $1', [
      renewal.id,
      JSON.stringify({ renews: imported.id }),
    ]);
    const expected = 'at most 1 memory would not be shown any more (untrusted_signer). Add';
    expect(await refusal({ writers: [writerKey] })).toContain(expected);
    // As when it is embedded: the memory has the date it was first written on, and another are bytes of a client
    const columns = 'account_id, id, namespace, state, envelope_sha256, size';
    await db.query(
      `INSERT INTO memory (${columns}, envelope_id, created_at)
       SELECT account_id, id, namespace, 'pending', envelope_sha256, 1, envelope_id, written_at FROM memory_job WHERE id = $1
       UNION ALL SELECT account_id, gen_random_uuid(), namespace, 'done', envelope_sha256, 1, NULL, now()
       FROM memory_job WHERE id = $1`,
      [imported.id],
    );
    expect(await refusal({ writers: [writerKey] })).toContain(expected);
  });

  test('start only one of two relayers that boot concurrently with different secrets', async () => {
    const boots = await Promise.allSettled([
      boot({ server: [one()], writers: [one()] }),
      boot({ server: [one()], writers: [one()] }),
    ]);
    expect(boots.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  test('are learned at the first boot by a database of the previous version', async () => {
    await database.db.query("INSERT INTO secret_check VALUES ('MEM_INDEX_KEY', $1)", [
      secretCheckValue(indexKey),
    ]);
    await accept();
    expect(await refusal({ index: one() })).toContain('MEM_INDEX_KEY');
    await boot();
    expect(await refusal({ writers: [one()] })).toContain('at most 1 memory would not be shown');
  });
});

test('have check values that reveal neither the secret nor that two variables are equal', () => {
  const secret = one();
  const values = [
    secretCheckValue(secret),
    listedCheckValue('MEM_SERVER_SECRET', secret),
    listedCheckValue('MEM_WRITER_KEYS', secret),
    secretRing([secret]).currentId,
  ];
  expect(new Set(values).size).toBe(values.length);
  expect(listedCheckValue('MEM_WRITER_KEYS', secret)).toBe(values[2]);
  for (const value of values) expect(value).toMatch(/^([0-9a-f]{32}|[0-9a-f]{16})$/);
});
