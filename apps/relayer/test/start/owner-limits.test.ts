import { createTestBackend, type TestBackend } from '@memrelay/dev-env/test-backend';
import { headers } from '@memrelay/protocol/headers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hexToBytes } from '../../src/base/db/hex.ts';
import { createLoggers } from '../../src/base/logging/loggers.ts';
import { loadConfig } from '../../src/config/config.ts';
import { type Relayer, startRelayer } from '../../src/relayer.ts';
import { startTestNetwork, type TestNetwork, testKey } from '../support/localnet-process.ts';
import { relayerEnvironment } from '../support/relayer-process.ts';
import { call } from '../support/signed-request.ts';

/** The limits of owners and keys on a whole relayer, which takes them from its variables. */

const facts = 'I live in Lisbon. My sister is called Ana. We have a dog named Rex.';
let network: TestNetwork;
let backend: TestBackend;
let relayer: Relayer;

beforeAll(async () => {
  [network, backend] = await Promise.all([startTestNetwork(), createTestBackend()]);
  const environment = {
    ...(await relayerEnvironment(network, backend.databaseUrl)),
    ...backend.keys,
    REDIS_URL: backend.redisUrl,
    RUST_LOG: 'off',
    RATE_LIMIT_KEY_PER_MINUTE: '30',
    RATE_LIMIT_PER_HOUR: '40',
    RATE_LIMIT_STORAGE_BYTES: '20000',
  };
  const { config } = await loadConfig(environment);
  relayer = await startRelayer({
    config,
    loggers: createLoggers(config.log),
    environment,
    onFatal: expect.fail,
  });
}, 300_000);
afterAll(async () => {
  await relayer?.close();
  await Promise.all([network?.stop(), backend?.drop()]);
});

const post = (path: string, accountId: string, body: object) => ({
  path,
  accountId,
  body: JSON.stringify(body),
});

test('a key and its owner get 429 when their budgets are spent, and jobs can still be polled', async () => {
  const account = await network.account();
  const [first, second] = [testKey(), testKey()];
  for (const key of [first, second]) await account.add(key);
  const remember = (key: typeof first, i: number) =>
    call(relayer.url, key, post('/api/remember', account.id, { text: `text ${i}` }));

  const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => remember(first, i)));
  expect(answers.map(({ status }) => status).sort()).toEqual([
    ...Array<number>(6).fill(202),
    ...Array<number>(4).fill(429),
  ]);
  const refused = answers.find(({ status }) => status === 429)!;
  expect(refused.body).toMatchObject({ error: 'rate_limited', details: { limit: 'key', cost: 5 } });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  expect(refused.headers['ratelimit-policy']).toBe('"key";q=30;w=60, "owner-hour";q=40;w=3600');

  const accepted = answers.find(({ status }) => status === 202)!;
  const path = `/api/remember/${String(accepted.body.job_id)}`;
  const polled = await call(relayer.url, first, { method: 'GET', path, accountId: account.id });
  expect(polled.status).toBe(200);

  // The owner has 10 left of 40: the refused requests of the first key took nothing
  const others = await Promise.all(Array.from({ length: 4 }, (_, i) => remember(second, i + 10)));
  expect(others.map(({ status }) => status).sort()).toEqual([202, 202, 429, 429]);
  const last = others.find(({ status }) => status === 429)!;
  expect(last.body).toMatchObject({ details: { limit: 'owner-hour', units: 40, window_seconds: 3_600 } });
});

test('each fact that analyze stores takes a unit', async () => {
  const account = await network.account();
  const key = testKey();
  await account.add(key);
  const { status, body } = await call(relayer.url, key, post('/api/analyze', account.id, { text: facts }));
  expect(status).toBe(202);
  expect(body.fact_count).toBeGreaterThanOrEqual(2);
  const next = await call(relayer.url, key, { method: 'GET', path: '/api/account', accountId: account.id });
  const left = Number(/"owner-hour";r=(\d+)/.exec(String(next.headers.ratelimit))![1]);
  expect(left).toBe(40 - 5 - Number(body.fact_count) - 1);
});

test('writes that do not fit into the storage of their owner get 507 and store nothing', async () => {
  const account = await network.account();
  const key = testKey();
  await account.add(key);
  const { d: seed } = key.privateKey.export({ format: 'jwk' });
  const credential = { [headers.delegateKey]: Buffer.from(seed!, 'base64url').toString('hex') };
  const { db } = relayer.context;
  const accountId = hexToBytes(account.id);
  await db.query(
    `INSERT INTO memory (account_id, id, namespace, state, envelope_sha256, size)
     VALUES ($1, gen_random_uuid(), 'default', 'done', '', 19000)`,
    [accountId],
  );
  const text = 'a text '.repeat(1_000);
  const vector = Array.from({ length: 1_536 }, () => 1);
  for (const [path, body] of Object.entries({
    '/api/remember': { text },
    '/api/remember/bulk': { items: [{ text: 'short' }, { text }] },
    '/api/remember/manual': { vector, encrypted_data: Buffer.alloc(3_000).toString('base64') },
    '/api/analyze': { text: `${facts} My brother is called Rui. I work as a nurse.` },
  })) {
    const refused = await call(relayer.url, key, post(path, account.id, body), credential);
    expect([path, refused.status, refused.body.error]).toEqual([path, 507, 'storage_limit_reached']);
    expect(refused.body.details).toMatchObject({ limit_bytes: 20_000, stored_bytes: 19_000 });
  }
  const { rows } = await db.query('SELECT 1 FROM memory_job WHERE account_id = $1', [accountId]);
  expect(rows).toEqual([]);
});
