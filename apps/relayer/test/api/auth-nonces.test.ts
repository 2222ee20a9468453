import { createChainClient } from '@memrelay/chain/chain-client';
import { findRedis, startRedis } from '@memrelay/dev-env/services/redis';
import type { RunningService } from '@memrelay/dev-env/services/service';
import { createClient } from '@redis/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createAccountDirectory } from '../../src/accounts/create-account-directory.ts';
import { createRedisNonces } from '../../src/api/nonces/redis-nonces.ts';
import { silent, startAuthApp } from '../support/auth-app.ts';
import { databases, type TestDb } from '../support/databases.ts';
import {
  startTestNetwork,
  type TestAccount,
  type TestKey,
  type TestNetwork,
  testKey,
} from '../support/localnet-process.ts';
import { call, send, signedHeaders } from '../support/signed-request.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { testAudit } from '../support/test-audit.ts';

// Skipped without a redis-server on the machine
describe.skipIf(!findRedis())('signed requests with nonces in Redis', () => {
  let network: TestNetwork;
  let tables: TestDb;
  let redis: RunningService;
  let proxy: TcpProxy;
  let url: string;
  let account: TestAccount;
  let key: TestKey;
  const clock = { offsetMs: 0 };
  const closers: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    [network, tables, redis] = await Promise.all([
      startTestNetwork(),
      databases.at(-1)!.create(),
      startRedis(),
    ]);
    proxy = await startTcpProxy(Number(new URL(redis.url).port));
    const accounts = createAccountDirectory({
      chain: createChainClient({ network: 'localnet', baseUrl: network.url }),
      packageId: network.info.packageId,
      db: tables.db,
      audit: testAudit,
      log: silent,
    });
    const nonces = createRedisNonces({ url: `redis://127.0.0.1:${proxy.port}`, db: tables.db, log: silent });
    const served = await startAuthApp({ accounts, nonces, now: () => Date.now() + clock.offsetMs });
    url = served.url;
    closers.push(
      () => served.app.close(),
      () => accounts.close(),
      () => nonces.close(),
    );
    account = await network.account();
    key = testKey();
    await account.add(key);
  });
  afterAll(async () => {
    for (const close of closers) await close();
    await proxy?.close();
    await Promise.all([network?.stop(), tables?.drop(), redis?.stop()]);
  });

  const at = (timestamp: number) => ({ accountId: account.id, timestamp });
  const seconds = () => Math.floor(Date.now() / 1000);
  const signedNow = () => call(url, key, { accountId: account.id });
  const untilAccepted = (timestamp?: number) =>
    vi.waitFor(
      async () => expect((await call(url, key, at(timestamp ?? seconds()))).status, 'accepted').toBe(200),
      { timeout: 10_000, interval: 100 },
    );
  const unavailable = { status: 503, body: { error: 'auth_unavailable' } };

  it('get 503 while Redis is down, and are not accepted twice after it has restarted', async () => {
    await untilAccepted();
    const used = signedHeaders(key, { accountId: account.id });
    expect((await send(url, used)).status).toBe(200);
    expect((await send(url, used)).body.error).toBe('nonce_replayed');

    await redis.stop();
    const down = await signedNow();
    expect(down).toMatchObject(unavailable);
    expect(Number(down.headers['retry-after'])).toBeGreaterThan(0);
    expect(await send(url, used)).toMatchObject(unavailable);

    redis = await startRedis();
    proxy.target = Number(new URL(redis.url).port);
    await untilAccepted(seconds() + 30);
    expect(await send(url, used)).toMatchObject(unavailable);
    expect(await call(url, key, at(seconds() - 100))).toMatchObject(unavailable);
  });

  it("are rejected after FLUSHALL until their time has passed, regardless of their signer's clock", async () => {
    await untilAccepted(seconds() + 60);
    // The furthest ahead that is accepted
    const newest = seconds() + 299;
    const used = [seconds() + 61, newest].map((timestamp) => signedHeaders(key, at(timestamp)));
    for (const headers of used) expect((await send(url, headers)).status).toBe(200);
    const client = await createClient({ url: redis.url }).connect();
    await client.flushAll();
    client.destroy();
    for (const headers of used) expect(await send(url, headers)).toMatchObject(unavailable);
    await vi.waitFor(async () => {
      const refused = await signedNow();
      expect(refused).toMatchObject(unavailable);
      expect(refused.body.message).toContain('nonce store has changed');
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(290);
    });
    clock.offsetMs = 320_000;
    expect((await call(url, key, at(newest + 11))).status).toBe(200);
    // Their own window is still open
    clock.offsetMs = 200_000;
    for (const headers of used) expect(await send(url, headers)).toMatchObject(unavailable);
  });
});
