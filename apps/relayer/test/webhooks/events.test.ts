import { randomBytes, randomUUID } from 'node:crypto';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import type { WebhookEvent } from '@memrelay/protocol/webhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createMemoryBlobCache } from '../../src/blobs/blob-cache.ts';
import { retryJob } from '../../src/jobs/rows/retry-job.ts';
import { type RemoveParts, removeMemories } from '../../src/memories/forget/remove-memories.ts';
import { announceExpiring } from '../../src/webhooks/announce-expiring.ts';
import { setListening } from '../../src/webhooks/rows/webhook-rows.ts';
import { silent } from '../support/auth-app.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { storeMemory } from '../support/stored-memories.ts';
import { testAudit } from '../support/test-audit.ts';
import { textJobs } from '../support/text-jobs.ts';

const url = 'sealed elsewhere';

describe.each(databases)('events for webhooks, on $name', ({ create }) => {
  let tables: TestDb;
  const jobs = textJobs(() => tables.db);
  const { accountId } = jobs;
  beforeAll(async () => {
    tables = await create();
  });
  beforeEach(async () => {
    for (const table of ['webhook', 'webhook_delivery', 'announced_expiry'])
      await tables.db.query(`DELETE FROM ${table}`);
    await jobs.clear();
  });
  afterAll(() => tables.drop());

  async function listen(
    events: WebhookEvent[] = ['memory.stored', 'memory.failed', 'memory.forgotten', 'memory.expiring'],
    namespaces: string[] | null = null,
    account = accountId,
  ): Promise<string> {
    const id = randomUUID();
    await tables.db.query(
      `INSERT INTO webhook (account_id, id, delegate_pk, events, namespaces, sealed)
       VALUES ($1, $2, $3, $4::text[], $5::text[], $6)`,
      [account, id, randomBytes(32), events, namespaces, Buffer.from(url)],
    );
    return id;
  }
  async function noted(): Promise<[string, string[], string | null][]> {
    const { rows } = await tables.db.query<{ type: string; memory_ids: string[]; reason: string | null }>(
      'SELECT type, memory_ids, reason FROM webhook_delivery ORDER BY created_at, type, reason',
    );
    return rows.map(({ type, memory_ids, reason }) => [type, [...memory_ids].sort(), reason]);
  }
  const removeParts = () =>
    ({
      db: tables.db,
      audit: testAudit,
      secrets: { writerKeys: [randomBytes(32)] },
      expiredDelegates: { pruned: async (account: unknown) => account },
      namespaceKeys: {
        current: async () => ({
          recipientPk: nodePrimitives.ed25519PublicKey(randomBytes(32)),
          wraps: [{ type: 1, bytes: randomBytes(404) }],
        }),
      },
      blobCache: createMemoryBlobCache({ ttlSeconds: 60, maxBlobBytes: 1_000 }),
      pipeline: { wakeUpload: () => undefined },
      loggers: { memories: silent },
    }) as unknown as RemoveParts;
  const address = `0x${accountId.toString('hex')}`;
  const caller = {
    account: { accountId: address, origin: address, owner: address, keyEpoch: 0 },
    publicKey: 'ab'.repeat(32),
  } as never;
  async function forget(ids: string[], reason: 'request' | 'expiry' = 'request', parts = removeParts()) {
    const ns = { accountId, namespace: 'default', tag: Buffer.alloc(16, 1) };
    await removeMemories(parts, caller, ns, ids, reason);
    // Their tombstones need no upload here
    await tables.db.query('DELETE FROM memory_job WHERE kind = 2');
  }

  test('a stored text, its repetition, a failed one and its retry are one event each', async () => {
    await listen();
    const { job } = await jobs.stored('tea');
    expect(await noted()).toEqual([['memory.stored', [job.id], null]]);
    const [again] = await jobs.accept(jobs.newJob('tea'));
    await jobs.embedDue();
    expect((await noted()).at(-1)).toEqual(['memory.stored', [again!.id], null]);

    const [failing] = await jobs.accept(jobs.newJob('coffee'));
    await jobs.embedDue();
    await jobs.fail(await jobs.nextUpload());
    expect((await noted()).at(-1)).toEqual(['memory.failed', [failing!.id], 'upload_exhausted']);
    await retryJob(tables.db, accountId, failing!.id, `0x${'ab'.repeat(32)}`);
    await jobs.upload(await jobs.nextUpload());
    expect((await noted()).at(-1)).toEqual(['memory.stored', [failing!.id], null]);
    expect(await noted()).toHaveLength(4);
  });

  test('renewals and tombstones are no events', async () => {
    await listen();
    await tables.db.query(
      `INSERT INTO memory_job (id, account_id, owner, namespace, delegate_pk, kind, envelope_sha256, checkpoint)
       VALUES (gen_random_uuid(), $1, '', 'default', $1, 1, ''::bytea, '{"renews": "722fdc0e-7ca0-4868-9f2d-e284a9bf725c"}'),
         (gen_random_uuid(), $1, '', 'default', $1, 2, ''::bytea, '{}')`,
      [accountId],
    );
    await tables.db.query("UPDATE memory_job SET status = 'done'");
    expect(await noted()).toEqual([]);
  });

  test('a forget and its event are one transaction', async () => {
    await listen();
    const { job } = await jobs.stored('tea');
    const broken = removeParts();
    broken.audit = { append: () => Promise.reject(new Error('the relayer is killed here')) };
    await expect(forget([job.id], 'request', broken)).rejects.toThrow('killed');
    expect(await noted()).toHaveLength(1);
    await forget([job.id]);
    expect((await noted()).at(-1)).toEqual(['memory.forgotten', [job.id], 'request']);
    await forget([job.id]);
    expect(await noted()).toHaveLength(2);
    const other = await jobs.stored('coffee');
    await forget([other.job.id], 'expiry');
    expect((await noted()).at(-1)).toEqual(['memory.forgotten', [other.job.id], 'expiry']);
  });

  test('a job that ends in a transaction that is rolled back is no event', async () => {
    await listen();
    await jobs.accept(jobs.newJob('tea'));
    const rolledBack = tables.db.transaction(async (tx) => {
      await tx.query("UPDATE memory_job SET status = 'done'");
      throw new Error('killed');
    });
    await expect(rolledBack).rejects.toThrow('killed');
    expect(await noted()).toEqual([]);
  });

  test('each webhook gets the events and namespaces of its own account that it named', async () => {
    await listen(['memory.stored'], null, randomBytes(32));
    await listen(['memory.failed']);
    await listen(['memory.stored'], ['other']);
    await listen(['memory.stored'], ['other', 'default']);
    await jobs.stored('tea');
    expect(await noted()).toHaveLength(1);
  });

  test('nothing is recorded while webhooks are turned off, and later events are again', async () => {
    await listen();
    await setListening(tables.db, false);
    const { job } = await jobs.stored('tea');
    await forget([job.id]);
    expect(await noted()).toEqual([]);
    await setListening(tables.db, true);
    await jobs.stored('coffee');
    expect(await noted()).toHaveLength(1);
  });

  test('memories are announced once before they expire, by time or with their storage', async () => {
    await listen();
    const [soon, later, ending] = [
      await storeMemory(tables.db, { accountId }),
      await storeMemory(tables.db, { accountId }),
      await storeMemory(tables.db, { accountId, endEpoch: 12 }),
    ];
    await tables.db.query("UPDATE memory SET expires_at = now() + interval '23 hours' WHERE id = $1", [
      soon.id,
    ]);
    await tables.db.query("UPDATE memory SET expires_at = now() + interval '25 hours' WHERE id = $1", [
      later.id,
    ]);
    const storageTime = { tariff: async () => ({ epoch: 10 }), soonEpochs: 2, renewed: false };
    await announceExpiring({ db: tables.db, storageTime: { ...storageTime, renewed: true } });
    expect(await noted()).toEqual([['memory.expiring', [soon.id], 'expires_at']]);
    for (let i = 0; i < 2; i++) await announceExpiring({ db: tables.db, storageTime });
    expect(await noted()).toEqual([
      ['memory.expiring', [soon.id], 'expires_at'],
      ['memory.expiring', [ending.id], 'storage'],
    ]);
  });

  test('hundreds of memories that expire soon are announced in few events', async () => {
    await listen();
    await tables.db.query(
      `INSERT INTO memory (account_id, id, namespace, state, envelope_id, envelope_sha256, size, expires_at)
       SELECT $1, gen_random_uuid(), 'default', 'done', decode(md5(no::text), 'hex'), ''::bytea, 1, now() + interval '1 hour'
       FROM generate_series(1, 450) AS no`,
      [accountId],
    );
    const storageTime = { tariff: async () => undefined, soonEpochs: 2, renewed: true };
    await announceExpiring({ db: tables.db, storageTime });
    const ids = (await noted()).flatMap(([, each]) => each);
    expect([(await noted()).length, new Set(ids).size]).toEqual([3, 450]);
  });
});
