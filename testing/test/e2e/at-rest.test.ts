import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { headers } from '@memrelay/protocol/headers';
import { createClient, RESP_TYPES } from '@redis/client';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { EmbeddingProvider } from '../../src/embedding-provider.ts';
import { type FaultyWorld, startFaultyWorld } from '../../src/faulty-world.ts';
import { rawRequest } from '../../src/raw-request.ts';
import type { TestBackend } from '../../src/test-backend.ts';
import type { TestNetwork } from '../../src/test-network.ts';
import { createTestOwner, type TestOwner } from '../../src/test-owner.ts';
import { startTestRelayer, type TestRelayer } from '../../src/test-relayer.ts';
import { formsOf } from '../../src/text-forms.ts';

/** Tests that the disk contains no memory text in any encoding, and that errors and logs repeat no input. */

const canary = `canary${randomBytes(12).toString('hex')}`;
const secretWord = `zanzibar${randomBytes(6).toString('hex')}`;
let world: FaultyWorld;
let network: TestNetwork;
let backend: TestBackend;
let provider: EmbeddingProvider;
let relayer: TestRelayer;
let owner: TestOwner;

beforeAll(async () => {
  world = await startFaultyWorld({ environment: { RUST_LOG: 'trace' } });
  ({ network, backend, provider, relayer } = world);
  owner = await createTestOwner(network);
});
afterAll(() => world?.close());
beforeEach(() => world.heal());

const forms = [...formsOf(canary), ...formsOf(secretWord)];

function findIn(where: string, bytes: Buffer): string[] {
  return forms.filter((form) => bytes.includes(form)).map((form) => `${form.toString('latin1')} in ${where}`);
}

async function findInFiles(directory: string): Promise<{ files: number; found: string[] }> {
  const found: string[] = [];
  let files = 0;
  // Postgres also serves other tests, which drop their databases at the same time
  for (const entry of (await readdir(directory, { withFileTypes: true }).catch(unlessGone)) ?? []) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) {
      const inside = await findInFiles(path);
      files += inside.files;
      found.push(...inside.found);
    }
    if (!entry.isFile()) continue;
    const bytes = await readFile(path).catch(unlessGone);
    if (!bytes) continue;
    files += 1;
    found.push(...findIn(path, bytes));
  }
  return { files, found };
}

function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** The directory of the database's files, after a checkpoint has written all changes to it. */
async function databaseDirectory(): Promise<string> {
  if (backend.name === 'embedded') return backend.databaseUrl.replace('pglite:', '');
  const client = new Client({ connectionString: backend.databaseUrl });
  await client.connect();
  await client.query('CHECKPOINT');
  const { rows } = await client.query('SHOW data_directory');
  await client.end();
  return rows[0].data_directory;
}

async function findInRedis(url: string): Promise<{ keys: number; found: string[] }> {
  const client = createClient({ url }).withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
  await client.connect();
  const found: string[] = [];
  let keys = 0;
  for await (const batch of client.scanIterator({ COUNT: 500 }))
    for (const key of batch) {
      keys += 1;
      found.push(...findIn('redis key', key as Buffer));
      const value = await client.get(key);
      if (value) found.push(...findIn('redis value', value as unknown as Buffer));
    }
  await client.close();
  return { keys, found };
}

test('has no text of a memory or question in any file, database, cache or log', async () => {
  const client = owner.client(relayer.url);
  const text = `The canary is called ${canary} and lives in ${secretWord}`;
  await client.rememberAndWait(text);
  const recalled = await client.recall(`who is ${canary}?`);
  expect(recalled.results[0]?.text).toBe(text);
  // And one that still waits to be embedded: its text is in the outbox
  provider.fault = 'hang';
  await client.remember(`A second ${canary} of ${secretWord}`);
  await provider.waiting();

  const database = await findInFiles(await databaseDirectory());
  expect(database.files).toBeGreaterThan(100);
  expect(database.found).toEqual([]);
  const stored = await findInFiles(network.dataDir);
  expect(stored.files).toBeGreaterThan(4);
  expect(stored.found).toEqual([]);
  if (backend.redisUrl) {
    const redis = await findInRedis(backend.redisUrl);
    expect(redis.keys).toBeGreaterThan(0);
    expect(redis.found).toEqual([]);
  }
  const logs = relayer.logs() + network.logs();
  expect(logs).toContain('/api/recall');
  expect(findIn('the logs', Buffer.from(logs))).toEqual([]);
  expect(logs).not.toContain(owner.delegate.privateKey);
});

test('finds a planted text with the same search', async () => {
  for (const form of forms)
    expect(findIn('a page', Buffer.concat([Buffer.from('xx'), form, Buffer.from('yy')]))).not.toEqual([]);
  expect(findIn('base64', Buffer.from(Buffer.from(`some ${canary} text`).toString('base64')))).not.toEqual(
    [],
  );
});

test('repeats no input in errors, and logs no credential', async () => {
  const sent = `sent${randomBytes(12).toString('hex')}`;
  const nested = { [sent]: sent };
  const call = (path: string, body: unknown, more: object = {}) =>
    rawRequest(relayer.url, owner.delegate, { path, body, accountId: owner.accountId, ...more });
  const bodies: [string, object][] = [
    ['/api/remember', { text: [sent], namespace: nested }],
    ['/api/remember', { text: `${sent}\ud800`, namespace: `${sent}\u0000` }],
    ['/api/remember/bulk', { items: [sent, nested, { text: nested }] }],
    ['/api/remember/bulk/status', { job_ids: [nested, [sent]] }],
    ['/api/recall', { query: nested, limit: sent, scoring_weights: { ...nested, semantic: sent } }],
    ['/api/recall/manual', { vector: [sent, nested] }],
    ['/api/remember/manual', { vector: nested, encrypted_data: `${sent}!` }],
    [`/api/${sent}?${sent}`, { text: sent }],
  ];
  const credentials = [
    { [headers.encSession]: sent },
    {
      [headers.encSession]: Buffer.from(JSON.stringify({ address: sent, sessionKey: sent })).toString(
        'base64',
      ),
    },
    { [headers.delegateKey]: sent },
    { authorization: `Bearer ${sent}` },
    { [headers.nonce]: sent },
    { [headers.publicKey]: sent },
    { [headers.idempotencyKey]: `${sent} ${sent}` },
  ];
  const refused = [
    ...(await Promise.all(bodies.map(([path, body]) => call(path, body)))),
    ...(await Promise.all(
      credentials.map((each) => call('/api/recall', { query: sent }, { headers: each })),
    )),
    await call('/api/remember', { text: sent }, { headers: credentials.at(-1) }),
    await call('/api/remember', undefined, { rawBody: `{"text": "${sent}" ${sent}` }),
  ];
  for (const { status, body } of refused) {
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(body).toMatchObject({ error: expect.stringMatching(/^[a-z_]+$/), request_id: expect.any(String) });
    expect(JSON.stringify(body)).not.toContain(sent);
  }

  // Credentials of successful requests, and of one that fails inside the sidecar
  await owner.client(relayer.url).recall('anything');
  await call(
    '/api/recall',
    { query: 'x' },
    { headers: { [headers.delegateKey]: owner.delegate.privateKey } },
  );
  const logs = relayer.logs();
  expect(logs).toContain('x-delegate-key, which is deprecated');
  const encoded = Buffer.from(sent).toString('base64').slice(0, -4);
  for (const secret of [sent, encoded, owner.delegate.privateKey]) expect(logs).not.toContain(secret);
});

test('stops the boot with another index key or without the server secret, and names the variable', async () => {
  provider.fault = 'hang';
  await owner.client(relayer.url).remember('sealed until it is embedded');
  await provider.waiting();
  await relayer.stop();
  const other = randomBytes(32).toString('hex');
  for (const name of ['MEM_INDEX_KEY', 'MEM_SERVER_SECRET'] as const) {
    const keys = { ...backend.keys, [name]: other };
    const refused = await startTestRelayer(network, { ...backend, keys }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ exitCode: 1, message: expect.stringContaining(`${name} `) });
    expect((refused as Error).message).not.toContain(other);
  }
});
