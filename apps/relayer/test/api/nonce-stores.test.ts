import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fillEmbeddedDirectory } from '@memrelay/dev-env/embedded-directory';
import { findRedis, startRedis } from '@memrelay/dev-env/services/redis';
import type { RunningService } from '@memrelay/dev-env/services/service';
import { nonceTtlSeconds } from '@memrelay/protocol/signing';
import { createClient, RESP_TYPES } from '@redis/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type NonceStore, nonceKey } from '../../src/api/nonces/nonce-store.ts';
import { createRedisNonces } from '../../src/api/nonces/redis-nonces.ts';
import { createTableNonces } from '../../src/api/rows/table-nonces.ts';
import { openDatabase } from '../../src/base/db/open-database.ts';
import { silent } from '../support/auth-app.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

/** Long enough for a busy machine; the events take milliseconds */
const patience = 20_000;
const unavailable = expect.objectContaining({ code: 'auth_unavailable' });
const outOfWindow = expect.objectContaining({ code: 'timestamp_out_of_window' });
const signedAt = () => Math.floor(Date.now() / 1000);
const anyKey = () => nonceKey(randomBytes(32).toString('hex'), randomUUID());

it('the key of a nonce has 48 bytes and is the same for every notation', () => {
  const [publicKey, nonce] = ['ab'.repeat(32), 'f47ac10b-58cc-4372-a567-0e02b2c3d479'];
  expect(nonceKey(publicKey, nonce)).toHaveLength(48);
  expect(nonceKey(publicKey.toUpperCase(), nonce.toUpperCase())).toEqual(nonceKey(publicKey, nonce));
});

describe.each(databases)('nonces in a table on $name', ({ create }) => {
  let tables: TestDb;
  const stores: NonceStore[] = [];
  const storeWith = (options: Partial<Parameters<typeof createTableNonces>[0]> = {}): NonceStore => {
    const store = createTableNonces({ db: tables.db, log: silent, ...options });
    stores.push(store);
    return store;
  };

  beforeAll(async () => {
    tables = await create();
  });
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
  });
  afterAll(() => tables?.drop());

  it("are kept for all relayers, even if one's clock is a day ahead", async () => {
    const [key, expired, at] = [anyKey(), anyKey(), signedAt()];
    await storeWith().remember(key, at, 660);
    await storeWith().remember(expired, at, 0);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 86_400_000 });
    try {
      const ahead = storeWith({ purgeEveryMs: 10 });
      const left = async () =>
        (await tables.db.query('SELECT 1 FROM nonce WHERE key = $1', [expired])).rows.length;
      await expect.poll(left, { timeout: patience }).toBe(0);
      expect(await ahead.remember(key, at, 660)).toBe('seen');
    } finally {
      vi.useRealTimers();
    }
  });

  it('are fresh once, even among many concurrent requests', async () => {
    const store = storeWith();
    const key = anyKey();
    const answers = await Promise.all(Array.from({ length: 20 }, () => store.remember(key, signedAt(), 660)));
    expect(answers.filter((answer) => answer === 'fresh')).toHaveLength(1);
  });

  it('are recorded together, and a replay among them is seen', async () => {
    let statements = 0;
    const db: TestDb['db'] = {
      ...tables.db,
      query: (...call) => {
        statements += call[0].includes('INTO nonce AS') ? 1 : 0;
        return tables.db.query(...call);
      },
    };
    const store = storeWith({ db });
    await store.remember(anyKey(), signedAt(), 660);
    statements = 0;
    const keys = Array.from({ length: 20 }, anyKey);
    const replayed = [...keys, keys[3]!];
    const answers = await Promise.all(replayed.map((key) => store.remember(key, signedAt(), 660)));
    expect(answers).toEqual([...keys.map(() => 'fresh'), 'seen']);
    expect(statements).toBe(2);
  });

  it('are fresh again only after their time, purged or not', async () => {
    // The database refuses requests from its future, so this happens in the past
    let nowMs = Date.now() - 700_000;
    const store = storeWith({ now: () => nowMs });
    const [key, at] = [anyKey(), () => Math.floor(nowMs / 1000)];
    await store.remember(key, at(), nonceTtlSeconds);
    nowMs += 659_999;
    expect(await store.remember(key, at(), nonceTtlSeconds)).toBe('seen');
    nowMs += 1;
    expect(await store.remember(key, at(), nonceTtlSeconds)).toBe('fresh');
  });

  it('of an accepted request do not expire before the request, even if the clock of a relayer is set back', async () => {
    let nowMs = Date.now();
    const store = storeWith({ now: () => nowMs });
    const [key, at] = [anyKey(), signedAt()];
    // As early as it can be accepted: its client is ahead
    nowMs -= 300_000;
    expect(await store.remember(key, at, nonceTtlSeconds)).toBe('fresh');
    for (let seconds = 10; seconds <= 1_000; seconds += 10) {
      nowMs += 10_000;
      const answer = await store.remember(key, at, nonceTtlSeconds).catch((error: unknown) => error);
      if (answer !== 'seen') expect(answer, `${seconds} s later`).toEqual(outOfWindow);
    }
  });

  it('are purged in the background after their time, in several batches', async () => {
    let nowMs = Date.now();
    const store = storeWith({ now: () => nowMs, purgeEveryMs: 10, purgeBatch: 3 });
    await tables.db.query('DELETE FROM nonce');
    const keys = Array.from({ length: 8 }, anyKey);
    for (const key of keys) await store.remember(key, signedAt(), 660);
    nowMs += 300_000;
    await store.remember(anyKey(), signedAt(), 660);
    nowMs += 360_000;
    await vi.waitFor(async () => expect((await tables.db.query('SELECT 1 FROM nonce')).rows).toHaveLength(1));
  });

  it('are all rejected when the database is unavailable', async () => {
    const own = await create();
    const store = createTableNonces({ db: own.db, log: silent });
    await own.db.query('DROP TABLE nonce');
    await expect(store.remember(anyKey(), signedAt(), 660)).rejects.toEqual(unavailable);
    expect(store.health().ok).toBe(false);
    await store.close();
    await own.drop();
  });
});

it('are still known when the relayer is killed right after the response', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'memrelay-nonces-'));
  await fillEmbeddedDirectory(directory);
  const key = anyKey();
  const script = join(import.meta.dirname, '../support/remember-and-wait.ts');
  const child = spawn(process.execPath, [script, `pglite:${directory}`, key.toString('hex')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [answer] = await once(createInterface(child.stdout), 'line');
  expect(answer).toBe('fresh');
  child.kill('SIGKILL');
  await once(child, 'exit');
  const db = await openDatabase(`pglite:${directory}`, silent);
  const store = createTableNonces({ db, log: silent });
  expect(await store.remember(key, signedAt(), 660)).toBe('seen');
  await store.close();
  await db.close();
  await rm(directory, { recursive: true });
}, 120_000);

// Skipped without a redis-server on the machine
describe.skipIf(!findRedis())('nonces in Redis', () => {
  let tables: TestDb;
  let redis: RunningService;
  let proxy: TcpProxy;
  const closers: (() => Promise<unknown>)[] = [];
  const storeWith = (): NonceStore => {
    const store = createRedisNonces({
      url: `redis://127.0.0.1:${proxy.port}`,
      db: tables.db,
      log: silent,
      timeoutMs: 2_000,
    });
    closers.push(() => store.close());
    return store;
  };
  const ready = (store: NonceStore) =>
    vi.waitFor(() => expect(store.health()).toEqual({ ok: true }), patience);
  const reconnect = async () => {
    const before = proxy.connections;
    proxy.cut();
    await vi.waitFor(() => expect(proxy.connections).toBeGreaterThan(before), patience);
  };
  const portOf = (service: RunningService) => Number(new URL(service.url).port);

  beforeAll(async () => {
    tables = await databases.at(-1)!.create();
  });
  beforeEach(async () => {
    redis = await startRedis();
    proxy = await startTcpProxy(portOf(redis));
    closers.push(
      () => redis.stop(),
      () => proxy.close(),
    );
    await tables.db.query('DELETE FROM nonce_epoch');
  });
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  afterAll(() => tables?.drop());

  it('are recorded in one transaction, and a replay among them is seen', async () => {
    const store = storeWith();
    await ready(store);
    await store.remember(anyKey(), signedAt(), 660);
    const client = await createClient({ url: redis.url }).connect();
    const transactions = async () =>
      Number(/cmdstat_exec:calls=(\d+)/.exec(await client.info('commandstats'))?.[1]);
    const before = await transactions();
    const keys = Array.from({ length: 20 }, anyKey);
    const replayed = [...keys, keys[3]!];
    const answers = await Promise.all(replayed.map((key) => store.remember(key, signedAt(), 660)));
    expect(answers).toEqual([...keys.map(() => 'fresh'), 'seen']);
    expect((await transactions()) - before).toBe(1);
    client.destroy();
  });

  it('are all refused when one of a transaction cannot be recorded', async () => {
    const store = storeWith();
    await ready(store);
    await store.remember(anyKey(), signedAt(), 660);
    const client = await createClient({ url: redis.url }).connect();
    // Redis then refuses writes in a transaction, and executes the rest of it
    await client.configSet('maxmemory', '1');
    const answers = await Promise.allSettled(
      Array.from({ length: 5 }, () => store.remember(anyKey(), signedAt(), 660)),
    );
    for (const answer of answers) expect(answer).toMatchObject({ status: 'rejected', reason: unavailable });
    client.destroy();
  });

  it('are fresh once, even among many concurrent requests through two relayers', async () => {
    const stores = [storeWith(), storeWith()];
    await Promise.all(stores.map(ready));
    const key = anyKey();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => stores[index % 2]!.remember(key, signedAt(), 660)),
    );
    expect(answers.filter((answer) => answer === 'fresh')).toHaveLength(1);
    const client = await createClient({
      url: redis.url,
      commandOptions: { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } },
    }).connect();
    const [name] = await client.keys('memrelay:nonce:*');
    expect(await client.ttl(name!)).toBeGreaterThan(655);
    client.destroy();
  });

  it('are rejected before the first connection and while Redis is down, and accepted afterwards', async () => {
    proxy.target = undefined;
    const store = storeWith();
    await expect(store.remember(anyKey(), signedAt(), 660)).rejects.toEqual(unavailable);
    proxy.target = portOf(redis);
    await ready(store);
    const key = anyKey();
    expect(await store.remember(key, signedAt(), 660)).toBe('fresh');
    proxy.target = undefined;
    proxy.cut();
    await vi.waitFor(() => expect(store.health().ok).toBe(false), patience);
    await expect(store.remember(anyKey(), signedAt(), 660)).rejects.toEqual(unavailable);
    proxy.target = portOf(redis);
    await ready(store);
    expect(await store.remember(key, signedAt(), 660)).toBe('seen');
  });

  it('are kept across a new connection or a new relayer', async () => {
    const first = storeWith();
    await ready(first);
    const key = anyKey();
    await first.remember(key, signedAt(), 660);
    await reconnect();
    await ready(first);
    const second = storeWith();
    await ready(second);
    for (const store of [first, second]) expect(await store.remember(key, signedAt(), 660)).toBe('seen');
  });

  it('of an accepted request do not expire before the request, even if the clock of a relayer is set back', async () => {
    const store = storeWith();
    await ready(store);
    // A nonce that Redis has let expire, 660 s after the request was accepted
    for (const age of [321, 660, 86_400])
      await expect(store.remember(anyKey(), signedAt() - age, 660)).rejects.toEqual(outOfWindow);
    expect(await store.remember(anyKey(), signedAt() - 300, 660)).toBe('fresh');
  });

  it('are rejected when Redis hangs', async () => {
    const store = storeWith();
    await ready(store);
    proxy.silent = true;
    await expect(store.remember(anyKey(), signedAt(), 660)).rejects.toEqual(unavailable);
    proxy.silent = false;
  });

  it('are rejected on a Redis that may evict them, until that is fixed', async () => {
    const client = await createClient({ url: redis.url }).connect();
    await client.configSet({ maxmemory: '100mb', 'maxmemory-policy': 'allkeys-lru' });
    const store = storeWith();
    await vi.waitFor(() => expect(store.health().detail).toMatch(/noeviction/), patience);
    await expect(store.remember(anyKey(), signedAt(), 660)).rejects.toEqual(unavailable);
    await client.configSet({ 'maxmemory-policy': 'noeviction' });
    await ready(store);
    expect(await store.remember(anyKey(), signedAt(), 660)).toBe('fresh');
    client.destroy();
  });
});
