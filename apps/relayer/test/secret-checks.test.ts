import { randomBytes, randomUUID } from 'node:crypto';
import { secretRing } from '@memrelay/envelope/at-rest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkSecrets } from '../src/config/secret-checks.ts';
import { insertJobs } from '../src/jobs/accept-jobs.ts';
import { createIdempotency } from '../src/jobs/idempotency.ts';
import { createOutbox } from '../src/memories/outbox.ts';
import { databases, type TestDb } from './support/databases.ts';

describe.each(databases)('the secrets of a database on $name', ({ create }) => {
  let database: TestDb;
  const [first, second, indexKey] = [randomBytes(32), randomBytes(32), randomBytes(32)];
  beforeAll(async () => {
    database = await create();
  });
  afterAll(() => database.drop());

  const boot = (serverSecrets: Buffer[], key = indexKey): Promise<void> =>
    checkSecrets(
      database.db,
      { serverSecrets, indexKey: key, writerKeys: [randomBytes(32)] },
      secretRing(serverSecrets),
    );

  test('the index key never changes', async () => {
    await boot([first]);
    await boot([first]);
    const other = randomBytes(32);
    await expect(boot([first], other)).rejects.toThrow('MEM_INDEX_KEY is not the key');
    await expect(boot([first], other)).rejects.not.toThrow(other.toString('hex'));
  });

  test('a server secret goes when nothing was sealed with it any more', async () => {
    const ring = secretRing([first]);
    const write = {
      accountId: randomBytes(32),
      delegatePk: randomBytes(32),
      route: '/api/remember',
      key: 'k',
      bodySha256: randomBytes(32),
    };
    const place = { id: randomUUID(), accountId: write.accountId, namespace: 'default' };
    const job = {
      ...place,
      owner: '0x1',
      delegatePk: write.delegatePk,
      outbox: createOutbox(ring).seal(place, 'waiting'),
      envelope: randomBytes(100),
      envelopeId: undefined,
      envelopeSha256: randomBytes(32),
      importance: 0.5,
    };
    const key = createIdempotency(database.db, ring, indexKey).rowFor(write, [place.id]);
    await insertJobs(database.db, [job], 'queued', key);

    const needed = 'MEM_SERVER_SECRET lacks a secret';
    await boot([second, first]);
    await expect(boot([second])).rejects.toThrow(needed);
    await database.db.query('UPDATE memory_job SET outbox = NULL');
    await expect(boot([second])).rejects.toThrow(needed);
    await database.db.query("UPDATE idempotency SET created_at = now() - interval '25 hours'");
    await boot([second]);
  });
});
