import { randomUUID } from 'node:crypto';
import { verifyWebhook } from '@memrelay/sdk/webhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Caller } from '../../src/accounts/caller.ts';
import { claimDeliveries, deliveryBacklog, pruneDeliveries } from '../../src/webhooks/rows/delivery-rows.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { startReceiver, tagHex, webhookWorld } from '../support/webhook-world.ts';

const claimLimits = { limit: 100, perWebhook: 100, busy: [], leaseMs: 60_000 };
const day = 24 * 3_600_000;

describe.each(databases)('deliveries of webhooks, on $name', ({ create }) => {
  let tables: TestDb;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let world: ReturnType<typeof webhookWorld>;
  let owner: Caller;
  const running: { stop(): Promise<void> }[] = [];
  beforeAll(async () => {
    tables = await create();
  });
  beforeEach(async () => {
    await tables.db.query('DELETE FROM webhook_delivery');
    await tables.db.query('DELETE FROM webhook');
    receiver = await startReceiver();
    world = webhookWorld(tables.db);
    owner = world.addKey();
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((each) => each.stop()));
    await receiver.close();
  });
  afterAll(() => tables.drop());

  const start = (...options: Parameters<typeof world.start>) => running.push(world.start(...options));
  const statuses = async (id: string) =>
    (await world.deliveries(owner, id)).map(({ status, attempts, last_error }) => ({
      status,
      attempts,
      last_error,
    }));
  const webhookRow = async (id: string) => {
    const { rows } = await tables.db.query('SELECT * FROM webhook WHERE id = $1', [id]);
    return rows[0]!;
  };

  test('are signed, contain ids only, and arrive once', async () => {
    const { webhook, secret } = await world.create(owner, receiver.url);
    const ids = [randomUUID(), randomUUID()];
    await world.note('work', ids);
    start();
    await expect.poll(() => statuses(webhook.id)).toMatchObject([{ status: 'delivered', attempts: 1 }]);
    const [{ headers, body }] = receiver.received as [(typeof receiver.received)[number]];
    expect(receiver.received).toHaveLength(1);
    const payload = verifyWebhook(headers, body, secret);
    expect(payload).toEqual({
      id: headers['webhook-id'],
      type: 'memory.stored',
      timestamp: expect.any(String),
      data: { account_id: world.account.accountId, namespace: 'work', memory_ids: ids, reason: 'test' },
    });
    expect(headers['user-agent']).toMatch(/^memrelay-webhooks\//);
  });

  test('are retried with the same id until the receiver answers 2xx', async () => {
    const { webhook } = await world.create(owner, receiver.url);
    receiver.answer = (response) =>
      void response.writeHead(receiver.received.length < 3 ? 500 : 200).end('x'.repeat(100_000));
    await world.note('work', [randomUUID()]);
    start();
    await expect.poll(() => statuses(webhook.id)).toMatchObject([{ status: 'delivered', attempts: 3 }]);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(await webhookRow(webhook.id)).toMatchObject({ failing_since: null, paused_until: null });
  });

  test('that wait for a receiver follow as soon as it answers again', async () => {
    const { webhook } = await world.create(owner, receiver.url);
    for (let i = 0; i < 9; i++) await world.note('work', [randomUUID()]);
    // As after hours of failures
    await tables.db.query(
      "UPDATE webhook_delivery SET next_at = now() + interval '3 hours', attempts = 12 WHERE webhook_id = $1",
      [webhook.id],
    );
    await tables.db.query("UPDATE webhook SET failing_since = now() - interval '9 hours' WHERE id = $1", [
      webhook.id,
    ]);
    await world.note('work', [randomUUID()]);
    start();
    await expect.poll(() => receiver.received.length).toBe(10);
  });

  test.each([
    ['hangs', 'timeout', (): void => undefined],
    ['redirects', 'redirected', (response) => void response.writeHead(307, { location: '/other' }).end()],
    ['closes the connection', 'unreachable', (response) => void response.destroy()],
    ['answers 404', 'status_404', (response) => void response.writeHead(404).end()],
  ] as [string, string, typeof receiver.answer][])(
    'are retried when the receiver %s, and the error is a code',
    async (_, error, answer) => {
      const { webhook } = await world.create(owner, receiver.url);
      receiver.answer = answer;
      await world.note('work', [randomUUID()]);
      start({ timeoutMs: 100, firstRetryMs: 3_600_000 });
      await expect
        .poll(() => statuses(webhook.id))
        .toEqual([{ status: 'waiting', attempts: 1, last_error: error }]);
      expect(receiver.received).toHaveLength(1);
      expect(await webhookRow(webhook.id)).toMatchObject({ last_error: error, disabled_at: null });
    },
  );

  test('wait as long as the receiver asks for', async () => {
    const { webhook } = await world.create(owner, receiver.url);
    receiver.answer = (response) => void response.writeHead(429, { 'retry-after': '1800' }).end();
    await world.note('work', [randomUUID()]);
    start();
    await expect.poll(() => statuses(webhook.id)).toMatchObject([{ last_error: 'status_429' }]);
    const [waiting] = await world.deliveries(owner, webhook.id);
    expect(Date.parse(waiting!.next_attempt_at!) - Date.now()).toBeGreaterThan(1_700_000);
  });

  test('are never sent to an address that is not public, also by a name that resolves to one', async () => {
    const named = receiver.url.replace('127.0.0.1', 'localhost');
    const urls = [receiver.url, named, receiver.url.replace('127.0.0.1', '[::ffff:127.0.0.1]')];
    const webhooks = [];
    for (const url of urls) webhooks.push((await world.create(owner, url)).webhook);
    await world.note('work', [randomUUID()]);
    start({ firstRetryMs: 3_600_000 }, { allowPrivate: false });
    for (const { id } of webhooks)
      await expect.poll(() => statuses(id)).toMatchObject([{ last_error: 'private_address' }]);
    expect(receiver.received).toEqual([]);
  });

  test('are given up after a day, and a webhook that failed all day is disabled with its last error', async () => {
    const { webhook } = await world.create(owner, receiver.url);
    receiver.answer = (response) => void response.writeHead(503).end();
    await world.note('work', [randomUUID()]);
    await tables.db.query(
      "UPDATE webhook_delivery SET created_at = now() - interval '25 hours' WHERE webhook_id = $1",
      [webhook.id],
    );
    await world.note('work', [randomUUID()]);
    start({ giveUpAfterMs: day, firstRetryMs: 3_600_000 });
    await expect
      .poll(async () => (await statuses(webhook.id)).map(({ status }) => status).sort())
      .toEqual(['failed', 'waiting']);
    await tables.db.query(
      "UPDATE webhook SET failing_since = now() - interval '25 hours', paused_until = NULL",
    );
    await tables.db.query('UPDATE webhook_delivery SET next_at = now()');
    await expect
      .poll(() => webhookRow(webhook.id))
      .toMatchObject({ disabled_at: expect.any(Date), disabled_reason: 'status_503' });
    expect((await statuses(webhook.id)).map(({ status }) => status)).toEqual(['failed', 'failed']);
    await world.note('work', [randomUUID()]);
    expect(await statuses(webhook.id)).toHaveLength(2);
  });

  test('stop at once when the receiver answers 410', async () => {
    const { webhook } = await world.create(owner, receiver.url);
    receiver.answer = (response) => void response.writeHead(410).end();
    await world.note('work', [randomUUID()]);
    start();
    await expect.poll(() => webhookRow(webhook.id)).toMatchObject({ disabled_reason: 'status_410' });
  });

  test('end when the key that registered the webhook is removed, and spare namespaces outside its scope', async () => {
    const key = world.addKey({ perms: 1, allNamespaces: false, tags: [tagHex('work'), tagHex('home')] });
    const { webhook } = await world.create(key, receiver.url, { namespaces: ['work', 'home'] });
    await world.note('work', [randomUUID()]);
    await world.note('home', [randomUUID()]);
    await world.note('secret', [randomUUID()]);
    // Narrowed after the events were recorded
    Object.assign(key.delegate.scope!, { tags: [tagHex('work')] });
    start();
    await expect
      .poll(async () =>
        (await world.deliveries(owner, webhook.id)).map(({ last_error }) => last_error).sort(),
      )
      .toEqual(['not_in_scope', undefined]);
    await expect.poll(() => receiver.received.length).toBe(1);
    expect(JSON.parse(receiver.received[0]!.body).data.namespace).toBe('work');

    world.account.delegates = world.account.delegates.filter(({ publicKey }) => publicKey !== key.publicKey);
    await world.note('work', [randomUUID()]);
    await expect.poll(() => webhookRow(webhook.id)).toMatchObject({ disabled_reason: 'key_not_allowed' });
    expect(receiver.received).toHaveLength(1);
  });

  test('are postponed while the account is frozen or cannot be read', async () => {
    const { webhook } = await world.create(owner, receiver.url);
    world.account.active = false;
    await world.note('work', [randomUUID()]);
    start();
    await expect
      .poll(() => statuses(webhook.id))
      .toMatchObject([{ status: 'waiting', last_error: 'account_unavailable' }]);
    expect(await webhookRow(webhook.id)).toMatchObject({ failing_since: null });
    world.account.active = true;
    await expect.poll(() => statuses(webhook.id)).toMatchObject([{ status: 'delivered' }]);
  });

  test('are claimed by one of several relayers at a time, a few of each webhook', async () => {
    await world.create(owner, receiver.url);
    for (let i = 0; i < 40; i++) await world.note('work', [randomUUID()]);
    const claims = await Promise.all(
      Array.from({ length: 6 }, () => claimDeliveries(tables.db, { ...claimLimits, limit: 10 })),
    );
    const ids = claims.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    await tables.db.query('UPDATE webhook_delivery SET leased_until = NULL');
    expect(await claimDeliveries(tables.db, { ...claimLimits, perWebhook: 3 })).toHaveLength(3);
  });

  test('arrive once each with two relayers, and again after one was killed during an attempt', async () => {
    const { webhook } = await world.create(owner, receiver.url);
    for (let i = 0; i < 30; i++) await world.note('work', [randomUUID()]);
    start();
    start();
    await expect.poll(() => receiver.received.length).toBe(30);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(30);

    await world.note('work', [randomUUID()]);
    // A relayer that claimed it and died
    await tables.db.query(
      `UPDATE webhook_delivery SET leased_until = now() - interval '1 second', attempts = 1, status = 'waiting',
         ended_at = NULL WHERE webhook_id = $1 AND created_at = (SELECT max(created_at) FROM webhook_delivery)`,
      [webhook.id],
    );
    await expect.poll(() => receiver.received.length).toBeGreaterThan(30);
    await expect
      .poll(async () => (await statuses(webhook.id)).every(({ status }) => status === 'delivered'))
      .toBe(true);
  });

  test('are released when the relayer stops during an attempt', async () => {
    const { webhook } = await world.create(owner, receiver.url);
    receiver.answer = () => undefined;
    await world.note('work', [randomUUID()]);
    const stopped = world.start({ timeoutMs: 600_000 });
    await expect.poll(() => receiver.received.length).toBe(1);
    await stopped.stop();
    expect(await statuses(webhook.id)).toMatchObject([{ status: 'waiting', attempts: 1 }]);
    receiver.answer = (response) => void response.writeHead(200).end();
    start();
    await expect.poll(() => statuses(webhook.id)).toMatchObject([{ status: 'delivered', attempts: 2 }]);
  });

  test('are counted while they wait, and removed a week after their end', async () => {
    const { webhook } = await world.create(owner, receiver.url);
    for (let i = 0; i < 4; i++) await world.note('work', [randomUUID()]);
    const [ended, kept, old] = (await world.deliveries(owner, webhook.id)).map(({ id }) => id);
    const age = (id: string, change: string) =>
      tables.db.query(`UPDATE webhook_delivery SET ${change} WHERE id = $1`, [id]);
    await age(ended!, "status = 'delivered', ended_at = now() - interval '8 days'");
    await age(kept!, "status = 'failed', ended_at = now() - interval '6 days'");
    await age(old!, "created_at = now() - interval '2 days'");
    const { waiting, oldestSeconds } = await deliveryBacklog(tables.db);
    expect([waiting, Math.round(oldestSeconds / 3_600)]).toEqual([2, 48]);
    await tables.db.query('UPDATE webhook SET failing_since = now()');
    expect(await deliveryBacklog(tables.db)).toEqual({ waiting: 2, oldestSeconds: 0 });
    await pruneDeliveries(tables.db);
    expect(await world.deliveries(owner, webhook.id)).toHaveLength(3);
    await age(old!, "created_at = now() - interval '4 days'");
    await pruneDeliveries(tables.db);
    expect(await world.deliveries(owner, webhook.id)).toHaveLength(2);
    // An event that was recorded while its webhook was deleted
    await tables.db.query('DELETE FROM webhook');
    await tables.db.query("UPDATE webhook_delivery SET created_at = now() - interval '2 hours'");
    await pruneDeliveries(tables.db);
    const { rows } = await tables.db.query('SELECT status FROM webhook_delivery');
    expect(rows).toEqual([{ status: 'failed' }]);
  });
});
