import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { startWebhook, type Webhook } from '@memrelay/dev-env/webhook';
import type { UploadCheckpoint } from '@memrelay/protocol/sidecar-api';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TaskLoop } from '../../src/base/concurrency/task-loop.ts';
import { createMemoryBlobCache } from '../../src/blobs/blob-cache.ts';
import { type SenderTimes, startAlertSender } from '../../src/jobs/alerts/alert-sender.ts';
import { insertJobs, insertManualMemory } from '../../src/jobs/rows/accept-jobs.ts';
import { type ClaimedJob, claimJobs } from '../../src/jobs/rows/claim-jobs.ts';
import { uploadJobs } from '../../src/jobs/upload/upload-stage.ts';
import type { SidecarClient } from '../../src/sidecar/sidecar-client.ts';
import { unknownAccounts } from '../support/accounts.ts';
import { databases, type TestDb } from '../support/databases.ts';

const vectors = JSON.parse(
  readFileSync(new URL('../../../../packages/envelope/vectors/envelope-v1.json', import.meta.url), 'utf8'),
);
const envelope = Buffer.from(vectors.envelopes[0].envelope, 'hex');
const tag: string = envelope.subarray(48, 64).toString('hex');
const namespace = 'my secret plans';

describe.each(databases)('alerts on $name', ({ create }) => {
  let database: TestDb;
  let hook: Webhook;
  let senders: TaskLoop[];
  let logged: string[];
  beforeAll(async () => {
    database = await create();
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    hook = await startWebhook();
    senders = [];
    logged = [];
    await database.db.query('DELETE FROM alert');
    await database.db.query('DELETE FROM shared_task');
    await database.db.query('DELETE FROM memory_job');
  });
  afterEach(async () => {
    await Promise.all(senders.map((sender) => sender.stop()));
    await hook.close();
    expect(logged.join(), 'no log tells the URL').not.toContain(hook.secret);
  });

  async function startSender(times: Partial<SenderTimes> = {}, webhookUrl = hook.url): Promise<TaskLoop> {
    const sender = await startAlertSender({
      db: database.db,
      webhookUrl,
      network: 'testnet',
      log: pino({}, { write: (line: string) => void logged.push(line) }),
      times: { pollMs: 20, pauseMs: 100, deadlineMs: 300, firstRetryMs: 40, ...times },
    });
    senders.push(sender);
    return sender;
  }

  async function accept(count: number, bytes = envelope): Promise<void> {
    const jobs = Array.from({ length: count }, () => ({
      id: randomUUID(),
      accountId: randomBytes(32),
      owner: `0x${'ab'.repeat(32)}`,
      namespace,
      delegatePk: randomBytes(32),
      outbox: undefined,
      envelope: bytes,
      envelopeId: randomBytes(16),
      envelopeSha256: randomBytes(32),
      importance: 0.5,
    }));
    await database.db.transaction(async (tx) => {
      await insertJobs(tx, jobs, 'uploading');
      for (const { id } of jobs)
        await insertManualMemory(tx, id, { model: 'm', keyId: 1 }, new Float32Array(8).fill(1));
    });
  }
  const claim = async (count = 1): Promise<ClaimedJob[]> => {
    await database.db.query('UPDATE memory_job SET run_at = now()');
    return claimJobs(database.db, 'uploading', count, randomUUID());
  };

  const noTransport: UploadCheckpoint = {
    stage: 'failed',
    kind: 'transient',
    reason: 'the relay answered 503',
  };

  async function attempt(
    job: ClaimedJob,
    alerts: Pick<TaskLoop, 'wake'> | undefined,
    checkpoint = noTransport,
  ): Promise<void> {
    async function* upload(): AsyncGenerator<UploadCheckpoint> {
      yield checkpoint;
    }
    await uploadJobs(
      {
        db: database.db,
        accounts: unknownAccounts,
        sidecar: { upload } as unknown as SidecarClient,
        blobCache: createMemoryBlobCache({ ttlSeconds: 60, maxBlobBytes: 10_000 }),
        storeEpochs: 2,
        wallets: undefined,
        maxAttempts: 5,
        alerts,
        isStopping: () => false,
        log: pino({ enabled: false }),
      },
      [job],
    );
  }

  /** Jobs that fail for the last time; returns their ids. */
  async function exhaust(count: number, alerts: Pick<TaskLoop, 'wake'> | undefined, bytes = envelope) {
    await accept(count, bytes);
    await database.db.query('UPDATE memory_job SET attempts = 4');
    const jobs = await claim(count);
    for (const job of jobs) await attempt(job, alerts);
    return jobs.map(({ id }) => id);
  }
  const asleep = { wake: () => undefined };
  async function waiting(): Promise<number> {
    const { rows } = await database.db.query<{ n: number }>('SELECT count(*)::int AS n FROM alert');
    return rows[0]!.n;
  }
  const untilTold = (count: number) => expect.poll(() => hook.taken.length, { timeout: 10_000 }).toBe(count);
  const untilEmpty = () => expect.poll(waiting, { timeout: 10_000 }).toBe(0);

  test('writes one alert after five failed attempts, with only job, tag, reason and advice', async () => {
    const sender = await startSender();
    await accept(1);
    let [job] = await claim();
    for (let round = 1; round <= 5; round++) {
      expect(hook.posts).toEqual([]);
      await attempt(job!, sender);
      if (round < 5) [job] = await claim();
    }
    await untilTold(1);
    await untilEmpty();
    const [{ body, contentType }] = hook.posts as [Webhook['posts'][0]];
    expect(contentType).toBe('application/json');
    expect(Object.keys(JSON.parse(body))).toEqual(['text']);
    const [text] = hook.taken;
    for (const part of ['memrelay on testnet', job!.id, tag, 'the relay answered 503', 'What to do:'])
      expect(text).toContain(part);
    expect(body).not.toContain(namespace);
    // No further alert follows
    await attempt(job!, sender);
    expect(await waiting()).toBe(0);
    expect(hook.posts).toHaveLength(1);
  });

  test('stores no namespace and no URL in a waiting alert', async () => {
    await exhaust(1, asleep);
    const { rows } = await database.db.query('SELECT * FROM alert');
    expect(JSON.stringify(rows)).toContain(tag);
    expect(JSON.stringify(rows)).not.toContain(namespace);
    const { rows: tasks } = await database.db.query('SELECT * FROM shared_task');
    expect(JSON.stringify([rows, tasks])).not.toContain(hook.secret);
  });

  test('stores no tag for bytes that are not an envelope', async () => {
    await exhaust(1, await startSender(), randomBytes(700));
    await untilTold(1);
    expect(hook.taken[0]).toContain('no namespace tag');
  });

  test('writes nothing without a webhook, after a rejection, or for a lost lease', async () => {
    await exhaust(1, undefined);
    await accept(1);
    const [rejected] = await claim();
    await attempt(rejected!, asleep, { stage: 'failed', kind: 'permanent', reason: 'too large' });
    await accept(1);
    await database.db.query("UPDATE memory_job SET attempts = 4 WHERE status = 'running'");
    const [late] = await claim();
    await database.db.query("UPDATE memory_job SET lease_until = now() - interval '1 second'");
    await claim();
    await attempt(late!, asleep);
    expect(await waiting()).toBe(0);
  });

  test.each<[string, Webhook['next'][0]]>([
    ['breaks off', 'break off'],
    ['never answers', 'hang'],
    ['answers 500', { status: 500 }],
    ['answers 429', { status: 429 }],
  ])('retries a webhook that %s, and posts once', async (_how, taking) => {
    hook.next = [taking, taking];
    const [id] = await exhaust(1, await startSender());
    await untilTold(1);
    await untilEmpty();
    expect(hook.posts).toHaveLength(3);
    expect(hook.taken[0]).toContain(id);
  });

  test('does not follow a redirect', async () => {
    const elsewhere = await startWebhook();
    hook.next = [{ status: 302, headers: { location: elsewhere.url } }];
    await exhaust(1, await startSender());
    await untilTold(1);
    expect(hook.posts).toHaveLength(2);
    expect(elsewhere.posts).toEqual([]);
    await elsewhere.close();
  });

  test('waits for Retry-After', async () => {
    hook.next = [{ status: 429, headers: { 'retry-after': '1' } }];
    await exhaust(1, await startSender());
    await untilTold(1);
    expect(hook.posts[1]!.at - hook.posts[0]!.at).toBeGreaterThanOrEqual(950);
  });

  test('gives up a removed webhook, with a line in the log', async () => {
    hook.next = [{ status: 404 }];
    await exhaust(1, await startSender());
    await untilEmpty();
    expect(hook.posts).toHaveLength(1);
    expect(logged.join()).toContain('webhook rejects messages');
  });

  test('gives up alerts that could not be posted for too long, with a line in the log', async () => {
    hook.usual = { status: 503 };
    await exhaust(1, await startSender({ giveUpAfterMs: 300 }));
    await untilEmpty();
    expect(hook.posts.length).toBeGreaterThan(1);
    expect(hook.taken).toEqual([]);
    expect(logged.join()).toContain('could not be posted for too long');
  });

  test('groups 50 failures within a minute into two messages that count each one', async () => {
    const sender = await startSender({ pauseMs: 60_000 });
    const [first] = await exhaust(1, sender);
    await untilTold(1);
    const secondsLeft = async (): Promise<number> => {
      const { rows } = await database.db.query<{ seconds: number }>(
        'SELECT extract(epoch FROM due_at - now())::int AS seconds FROM shared_task',
      );
      return rows[0]!.seconds;
    };
    await expect.poll(secondsLeft, { timeout: 10_000 }).toBeGreaterThan(30);
    await exhaust(49, sender);
    expect(hook.posts).toHaveLength(1);
    // After the minute
    await database.db.query('UPDATE shared_task SET due_at = now()');
    await untilTold(2);
    await untilEmpty();
    expect(hook.taken[0]).toContain(`Job ${first}`);
    expect(hook.taken[1]).toContain('49 uploads were given up');
    expect(hook.taken[1]).toContain('49 times: the relay answered 503');
    expect(hook.taken[1]).toContain('and 39 more');
    expect(hook.posts).toHaveLength(2);
  });

  test('posts an alert once with several relayers', async () => {
    const several = [await startSender(), await startSender(), await startSender()];
    await exhaust(5, { wake: () => several.map((sender) => sender.wake()) });
    await untilEmpty();
    await exhaust(1, several[1]);
    await untilEmpty();
    const matches = hook.taken.join().matchAll(/Job [0-9a-f-]{36}|\d+ uploads were/g);
    const counts = [...matches].map(([match]) => Number.parseInt(match, 10) || 1);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(6);
  });
});
