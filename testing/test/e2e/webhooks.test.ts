import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { readAudit } from '@memrelay/sdk/audit';
import { addWebhook, listWebhooks, verifyWebhook, webhookDeliveries } from '@memrelay/sdk/webhooks';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { commandOf } from '../../src/memrelay-command.ts';
import { RelayerWorld } from '../../src/relayer-world.ts';
import { credentialsOf, newTestKey } from '../../src/test-owner.ts';

/** Tests that owners hear about their memories at a URL of theirs, from complete relayers. */

const timeout = { timeout: 60_000 };
let world: RelayerWorld;
let server: Server;
let url: string;
let received: { headers: IncomingHttpHeaders; body: string }[] = [];
let answer: (response: ServerResponse) => void;
const answerAll = (response: ServerResponse): void => void response.writeHead(204).end();

beforeAll(async () => {
  world = await RelayerWorld.create({ environment: { MEM_WEBHOOKS: 'on' } });
  server = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: await textOf(request) });
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/in?token=of-the-receiver`;
});
beforeEach(async () => {
  await query('DELETE FROM webhook');
  await query('DELETE FROM webhook_delivery');
  received = [];
  answer = answerAll;
});
afterAll(async () => {
  server?.closeAllConnections();
  server?.close();
  await world?.close();
});

async function query(sql: string) {
  const client = new Client({ connectionString: world.backend.databaseUrl });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

test('delivers what happens to memories, without their texts, and records the webhook in the audit log', async () => {
  const client = world.client();
  const { webhook, secret } = await addWebhook(client, { url });
  const { jobId } = await client.rememberAndWait('Ana takes her tea without milk.', { namespace: 'kitchen' });
  await client.forget({ namespace: 'kitchen', ids: [jobId] });
  await expect.poll(() => received.length, timeout).toBe(2);
  const events = received.map(({ headers, body }) => verifyWebhook(headers, body, secret));
  const data = { account_id: world.owner.accountId, namespace: 'kitchen', memory_ids: [jobId] };
  expect(events.sort((a, b) => a.timestamp.localeCompare(b.timestamp))).toMatchObject([
    { type: 'memory.stored', data },
    { type: 'memory.forgotten', data: { ...data, reason: 'request' } },
  ]);
  expect(JSON.stringify(received)).not.toMatch(/Ana|tea|milk/);
  await expect
    .poll(async () => (await webhookDeliveries(client, webhook.id)).map(({ status }) => status), timeout)
    .toEqual(['delivered', 'delivered']);
  const { entries, problems } = await readAudit(client);
  expect(problems).toEqual([]);
  expect(entries).toContainEqual(
    expect.objectContaining({
      action: 'webhook.created',
      actor: client.publicKey,
      detail: { webhook_id: webhook.id, events: webhook.events },
    }),
  );
  expect(world.relayer.logs()).not.toMatch(/of-the-receiver|whsec_/);
});

test('delivers again, with the same id, what a killed relayer was delivering', async () => {
  const client = world.client();
  await addWebhook(client, { url });
  answer = () => undefined;
  const { jobId } = await client.rememberAndWait('The heron nests behind the boathouse.');
  await expect.poll(() => received.length, timeout).toBe(1);
  await world.relayer.kill();
  // As a minute later
  await query('UPDATE webhook_delivery SET leased_until = now() WHERE leased_until IS NOT NULL');
  answer = answerAll;
  await world.relayer.start();
  await expect.poll(() => received.length, timeout).toBe(2);
  expect(JSON.parse(received[1]!.body)).toMatchObject({
    type: 'memory.stored',
    data: { memory_ids: [jobId] },
  });
  expect(received[1]!.headers['webhook-id']).toBe(received[0]!.headers['webhook-id']);
});

test('tells a key only about namespaces that it may read, and nothing after its removal', async () => {
  const client = world.client();
  const key = newTestKey();
  await addWebhook(client, { url });
  await world.owner.addDelegate(key, { namespaces: ['work'] });
  const scoped = world.client({ key: key.privateKey });
  for (const namespaces of [undefined, ['private'], ['work', 'private']])
    await expect(addWebhook(scoped, { url, namespaces })).rejects.toMatchObject({
      code: 'insufficient_scope',
    });
  const { webhook, secret } = await addWebhook(scoped, { url, namespaces: ['work'] });
  expect((await listWebhooks(scoped)).map(({ id }) => id)).toEqual([webhook.id]);
  expect(await listWebhooks(client)).toHaveLength(2);
  await client.rememberAndWait('The launch is on Friday.', { namespace: 'private' });
  await client.rememberAndWait('The report is due on Monday.', { namespace: 'work' });
  const forKey = () =>
    received.flatMap(({ headers, body }) => {
      try {
        return [verifyWebhook(headers, body, secret).data.namespace];
      } catch {
        // For the webhook of the owner's key
        return [];
      }
    });
  await expect.poll(() => received.length, timeout).toBe(3);
  expect(forKey()).toEqual(['work']);

  await world.owner.removeDelegate(key);
  const state = async () => (await listWebhooks(client)).find(({ id }) => id === webhook.id);
  await expect
    .poll(async () => {
      await client.rememberAndWait(`Another report, ${Math.random()}.`, { namespace: 'work' });
      return state();
    }, timeout)
    .toMatchObject({ status: 'disabled', disabledReason: 'key_not_allowed' });
  const before = forKey().length;
  await client.rememberAndWait('The last report.', { namespace: 'work' });
  await expect.poll(() => received.some(({ body }) => body.includes('"work"')), timeout).toBe(true);
  expect(forKey()).toHaveLength(before);
});

test('is managed with the command', async () => {
  const run = await commandOf(world.network, world.owner, world.relayer.url);
  const { code, last } = await run('webhook', 'add', url, '--event', 'memory.failed', '--namespace', 'shop');
  expect(code).toBe(0);
  expect(last).toMatchObject({
    secret: expect.stringMatching(/^whsec_/),
    webhook: { url, events: ['memory.failed'], namespaces: ['shop'], status: 'active' },
  });
  const { id } = last.webhook;
  expect(await run('webhook', 'test', id)).toMatchObject({ code: 0, last: { delivered: true, status: 204 } });
  expect(verifyWebhook(received.at(-1)!.headers, received.at(-1)!.body, last.secret).type).toBe(
    'webhook.test',
  );
  answer = (response) => void response.writeHead(500).end();
  expect(await run('webhook', 'test', id)).toMatchObject({ code: 1, last: { error: 'not_delivered' } });
  const listed = (await run('webhook')).last.webhooks.map((each: { id: string }) => each.id);
  expect(listed).toContain(id);
  expect(await run('webhook', 'deliveries', id)).toMatchObject({ code: 0, last: { deliveries: [] } });
  expect(await run('webhook', 'remove', id)).toMatchObject({ code: 0, last: { deleted: id } });
  expect(await run('webhook', 'remove', id)).toMatchObject({ last: { error: 'webhook_not_found' } });
});

test('the program of the documentation prints what the page says', async () => {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const page = await readFile(join(root, 'docs/webhooks.md'), 'utf8');
  const program = /```ts\n(.*?)```/s.exec(page)![1];
  const { dataDir } = world.network;
  const credentials = credentialsOf(world.network, world.owner, world.relayer.url);
  await writeFile(join(dataDir, 'credentials.json'), JSON.stringify(credentials), { mode: 0o600 });
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module-typescript'];
  const env = { PATH: process.env.PATH, HOME: dataDir, MEM_DATA_DIR: dataDir };
  const child = spawn(process.execPath, flags, { cwd: root, env });
  child.stdin.end(program);
  const [stdout, stderr] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  expect(stderr).toBe('');
  expect(stdout).toBe('memory.stored in default: 1 memory\n');
});

test('records nothing and says so where webhooks are turned off', async () => {
  await addWebhook(world.client(), { url });
  await world.relayer.kill();
  Object.assign(world.relayer.environment, { MEM_WEBHOOKS: 'off' });
  await world.relayer.start();
  const client = world.client();
  await expect(addWebhook(client, { url })).rejects.toMatchObject({
    status: 501,
    code: 'webhooks_not_enabled',
  });
  await expect(listWebhooks(client)).rejects.toMatchObject({ code: 'webhooks_not_enabled' });
  await client.rememberAndWait('No webhook receives this.');
  const { rows } = await query(
    "SELECT count(*)::int AS waiting FROM webhook_delivery WHERE status = 'waiting'",
  );
  expect(rows).toEqual([{ waiting: 0 }]);
});
