import { randomUUID } from 'node:crypto';
import { createWebhookRequest } from '@memrelay/protocol/webhooks';
import { verifyWebhook } from '@memrelay/sdk/webhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Caller } from '../../src/accounts/caller.ts';
import { checkWebhookUrl } from '../../src/webhooks/check-url.ts';
import { listWebhooks, removeWebhook, testWebhook } from '../../src/webhooks/manage-webhooks.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { startReceiver, tagHex, webhookWorld } from '../support/webhook-world.ts';

const url = 'https://hooks.example.com/in?token=a-secret-of-the-receiver';
const closed = { allowPrivate: false };

test.each([
  ['http://hooks.example.com/', 'https'],
  ['ftp://hooks.example.com/', 'https'],
  ['javascript:alert(1)', 'https'],
  ['hooks.example.com', 'must be a URL'],
  ['https://user:password@hooks.example.com/', 'user name'],
  ['https://hooks.example.com/#fragment', 'fragment'],
  ['https://127.0.0.1/', 'private'],
  ['https://2130706433/', 'private'],
  ['https://0x7f.1/', 'private'],
  ['https://10.0.0.1:8443/', 'private'],
  ['https://169.254.169.254/latest/meta-data', 'private'],
  ['https://100.64.0.1/', 'private'],
  ['https://[::1]/', 'private'],
  ['https://[::ffff:10.0.0.1]/', 'private'],
  ['https://[::ffff:7f00:1]/', 'private'],
  ['https://[64:ff9b::a00:1]/', 'private'],
  ['https://[2002:a00:1::]/', 'private'],
  ['https://[fe80::1]/', 'private'],
  ['https://[fd12::1]/', 'private'],
])('refuses %s', (text, word) => {
  expect(() => checkWebhookUrl(text, closed)).toThrowError(word);
});

test('accepts public https addresses, and any on a local network', () => {
  expect(checkWebhookUrl('https://Hooks.Example.com:8443/a?b', closed)).toBe(
    'https://hooks.example.com:8443/a?b',
  );
  for (const text of ['https://8.8.8.8/', 'https://[2606:4700::1111]/']) checkWebhookUrl(text, closed);
  expect(checkWebhookUrl('http://127.0.0.1:3000/', { allowPrivate: true })).toBe('http://127.0.0.1:3000/');
  expect(() => checkWebhookUrl('file:///etc/passwd', { allowPrivate: true })).toThrow();
});

test.each([
  {},
  { url: '' },
  { url: `https://a.example/${'x'.repeat(2_048)}` },
  { url, events: [] },
  { url, events: ['memory.read'] },
  { url, namespaces: [] },
  { url, namespaces: Array.from({ length: 17 }, (_, i) => `n${i}`) },
])('rejects the request %j', (body) => {
  expect(createWebhookRequest.safeParse(body).success).toBe(false);
});

describe.each(databases)('webhooks of an account, on $name', ({ create }) => {
  let tables: TestDb;
  let world: ReturnType<typeof webhookWorld>;
  let owner: Caller;
  beforeAll(async () => {
    tables = await create();
  });
  beforeEach(() => {
    world = webhookWorld(tables.db);
    owner = world.addKey();
  });
  afterAll(() => tables.drop());

  const narrow = (...namespaces: string[]) =>
    world.addKey({ perms: 1, allNamespaces: false, tags: namespaces.map(tagHex) });
  const idsOf = async (caller: Caller) => (await listWebhooks(world.parts, caller)).map(({ id }) => id);
  const audited = async () => {
    const { rows } = await tables.db.query<{ content: string }>(
      'SELECT content FROM audit_entry WHERE account_id = $1 ORDER BY seq',
      [world.accountId],
    );
    return rows.map(({ content }) => JSON.parse(content));
  };

  test('neither URL nor secret is readable in a dump of the database', async () => {
    const { secret } = await world.create(owner, url);
    const { rows: names } = await tables.db.query<{ tablename: string }>(
      "SELECT tablename FROM pg_tables WHERE schemaname = 'public'",
    );
    const token = Buffer.from('a-secret-of-the-receiver').toString('hex');
    const key = secret.replace('whsec_', '');
    for (const { tablename } of names) {
      const { rows } = await tables.db.query<{ dump: string }>(
        `SELECT t::text AS dump FROM "${tablename}" t`,
      );
      const dump = rows.map((row) => row.dump).join('\n');
      for (const part of ['a-secret-of', token, key, Buffer.from(key, 'base64').toString('hex')])
        expect(dump, tablename).not.toContain(part);
    }
    expect(names.length).toBeGreaterThan(20);
  });

  test('are listed without their secrets, and their creation and removal is audited without the URL', async () => {
    const { webhook } = await world.create(owner, url, { events: ['memory.failed'], namespaces: ['work'] });
    expect(webhook).toEqual({
      id: expect.any(String),
      url,
      events: ['memory.failed'],
      namespaces: ['work'],
      public_key: owner.publicKey,
      created_at: expect.any(String),
      status: 'active',
    });
    expect(await listWebhooks(world.parts, owner)).toEqual([webhook]);
    await removeWebhook(world.parts, owner, webhook.id);
    expect(await listWebhooks(world.parts, owner)).toEqual([]);
    await expect(removeWebhook(world.parts, owner, webhook.id)).rejects.toMatchObject({
      code: 'webhook_not_found',
    });
    const actor = owner.publicKey;
    expect(await audited()).toMatchObject([
      {
        action: 'webhook.created',
        actor,
        detail: { webhook_id: webhook.id, events: ['memory.failed'], tags: [tagHex('work')] },
      },
      { action: 'webhook.deleted', actor, detail: { webhook_id: webhook.id } },
    ]);
    expect(JSON.stringify(await audited())).not.toContain('example');
  });

  test('are at most ten, also when requests arrive together', async () => {
    const created = await Promise.allSettled(Array.from({ length: 13 }, () => world.create(owner, url)));
    const refused = created.flatMap((each) => (each.status === 'rejected' ? each.reason.code : []));
    expect(refused).toEqual(['webhook_limit_reached', 'webhook_limit_reached', 'webhook_limit_reached']);
    expect(await idsOf(owner)).toHaveLength(10);
  });

  test('a key can only name namespaces that it may read, and must name them unless it reads all', async () => {
    const key = narrow('work');
    for (const namespaces of [undefined, ['home'], ['work', 'home']])
      await expect(world.create(key, url, { namespaces })).rejects.toMatchObject({
        code: 'insufficient_scope',
      });
    const writer = world.addKey({ perms: 2 });
    await expect(world.create(writer, url)).rejects.toMatchObject({ code: 'insufficient_scope' });
    await expect(world.create(world.addKey({ expiresAtMs: 1 }), url)).rejects.toMatchObject({
      code: 'delegate_expired',
    });
    expect(await idsOf(owner)).toEqual([]);
    const { webhook } = await world.create(key, url, { namespaces: ['work'] });
    expect(webhook.namespaces).toEqual(['work']);
  });

  test('a narrow key manages its own only; a key with all permissions manages all', async () => {
    const [key, other, reader] = [narrow('work'), narrow('work'), world.addKey({ perms: 1 })];
    const ofOwner = (await world.create(owner, url)).webhook.id;
    const ofKey = (await world.create(key, url, { namespaces: ['work'] })).webhook.id;
    expect(await idsOf(key)).toEqual([ofKey]);
    expect(await idsOf(other)).toEqual([]);
    expect(await idsOf(reader)).toEqual([]);
    expect(await idsOf(owner)).toEqual([ofOwner, ofKey]);
    for (const id of [ofOwner, randomUUID(), 'no id'])
      for (const act of [
        () => removeWebhook(world.parts, key, id),
        () => testWebhook(world.parts, key, id),
        () => world.deliveries(key, id),
      ])
        await expect(act()).rejects.toMatchObject({ code: 'webhook_not_found' });
    await removeWebhook(world.parts, owner, ofKey);
    expect(await idsOf(key)).toEqual([]);
  });

  test('deliveries of namespaces that the key may no longer read are not listed', async () => {
    const key = narrow('work', 'home');
    const { webhook } = await world.create(key, url, { namespaces: ['work', 'home'] });
    await world.note('work', [randomUUID()]);
    await world.note('home', [randomUUID()]);
    expect(await world.deliveries(key, webhook.id)).toHaveLength(2);
    Object.assign(key.delegate.scope!, { tags: [tagHex('work')] });
    expect((await world.deliveries(key, webhook.id)).map(({ namespace }) => namespace)).toEqual(['work']);
  });

  test('a test sends a signed event, and enables a disabled webhook if it succeeds', async () => {
    const receiver = await startReceiver();
    const { webhook, secret } = await world.create(owner, receiver.url);
    await tables.db.query(
      "UPDATE webhook SET disabled_at = now(), disabled_reason = 'timeout', failing_since = now() WHERE id = $1",
      [webhook.id],
    );
    receiver.answer = (response) => void response.writeHead(500).end();
    expect(await testWebhook(world.parts, owner, webhook.id)).toEqual({
      delivered: false,
      status: 500,
      error: 'status_500',
      duration_ms: expect.any(Number),
    });
    expect((await listWebhooks(world.parts, owner))[0]).toMatchObject({
      status: 'disabled',
      disabled_reason: 'timeout',
    });
    receiver.answer = (response) => void response.writeHead(200).end();
    expect(await testWebhook(world.parts, owner, webhook.id)).toMatchObject({ delivered: true, status: 200 });
    expect((await listWebhooks(world.parts, owner))[0]!.status).toBe('active');
    const { headers, body } = receiver.received[1]!;
    expect(verifyWebhook(headers, body, secret)).toMatchObject({
      type: 'webhook.test',
      data: { account_id: world.account.accountId },
    });
    await receiver.close();
  });

  test('a test does not enable a webhook whose key was removed', async () => {
    const key = narrow('work');
    const { webhook } = await world.create(key, url, { namespaces: ['work'] });
    world.account.delegates = world.account.delegates.filter(({ publicKey }) => publicKey !== key.publicKey);
    expect(await testWebhook(world.parts, owner, webhook.id)).toMatchObject({
      delivered: false,
      error: 'key_not_allowed',
    });
  });
});
