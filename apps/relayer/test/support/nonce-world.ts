import { randomBytes, randomUUID } from 'node:crypto';
import { startRedis } from '@memrelay/dev-env/services/redis';
import type { RunningService } from '@memrelay/dev-env/services/service';
import { createClient } from '@redis/client';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { createNonceStore } from '../../src/api/nonces/create-nonce-store.ts';
import { type NonceStore, nonceKey } from '../../src/api/nonces/nonce-store.ts';
import { silent } from './auth-app.ts';
import type { TestDb } from './databases.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

/** A request as an eavesdropper sees it. */
export interface Captured {
  key: Buffer;
  signedAt: number;
}

/** How far beyond a request's time the database allows others to be accepted (nonce-epoch.ts) */
export const ahead = 10;
/** How far ahead the clock of a client is: `ahead` can be added a few times without exceeding what is accepted (310) */
export const early = 250;
const patience = 20_000;

/** For each test of the current suite: a database, a Redis behind a proxy, and nonce stores on them. */
export function nonceWorld(create: () => Promise<TestDb>) {
  let tables: TestDb;
  let redis: RunningService;
  let proxy: TcpProxy;
  const stores: NonceStore[] = [];
  const closers: (() => Promise<unknown>)[] = [];

  beforeEach(async () => {
    [tables, redis] = await Promise.all([create(), startRedis()]);
    proxy = await startTcpProxy(portOf(redis));
  });
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
    for (const close of closers.splice(0).reverse()) await close();
    await proxy.close();
    await Promise.all([tables.drop(), redis.stop()]);
  });

  const portOf = (service: RunningService) => Number(new URL(service.url).port);
  const redisUrl = () => `redis://127.0.0.1:${proxy.port}`;
  const start = async (url: string | undefined): Promise<NonceStore> => {
    const store = await createNonceStore({ redisUrl: url, db: tables.db, log: silent });
    stores.push(store);
    return store;
  };
  const stop = async (store: NonceStore): Promise<void> => {
    stores.splice(stores.indexOf(store), 1);
    await store.close();
  };
  const seconds = () => Math.floor(Date.now() / 1000);
  const captured = (signedAt = seconds()): Captured => ({
    key: nonceKey(randomBytes(32).toString('hex'), randomUUID()),
    signedAt,
  });
  const send = (store: NonceStore, { key, signedAt }: Captured) => store.remember(key, signedAt, 660);
  /** A client of the Redis, or of another one */
  const admin = async (url = redis.url) => {
    const client = await createClient({ url })
      .on('error', () => undefined)
      .connect();
    closers.push(async () => client.destroy());
    return client;
  };

  /**
   * Requests of a client with a correct clock, of one that is ahead, and of one that is behind: all were accepted.
   */
  async function acceptedBy(store: NonceStore): Promise<Captured[]> {
    const requests = [captured(), captured(seconds() + early), captured(seconds() - 300)];
    for (const request of requests) expect(await send(store, request)).toBe('fresh');
    return requests;
  }

  /** None of them is accepted again, at any time; a request that is signed after their time has passed is. */
  async function refusesReplaysOf(requests: readonly Captured[], ...after: NonceStore[]): Promise<void> {
    const newest = Math.max(...requests.map(({ signedAt }) => signedAt));
    for (const store of after) {
      for (const request of requests)
        await expect(send(store, request)).rejects.toMatchObject({ code: 'auth_unavailable' });
      await vi.waitFor(() => expect(store.health().detail).toContain('changed'), patience);
      const refusal = await send(store, requests[0]!).catch((error: unknown) => error);
      expect(refusal).toMatchObject({ code: 'auth_unavailable', retryAfter: expect.any(Number) });
      const { retryAfter } = refusal as { retryAfter: number };
      expect(retryAfter).toBeGreaterThan(newest - seconds());
      expect(retryAfter).toBeLessThanOrEqual(newest - seconds() + ahead + 2);
      const fresh = captured(newest + ahead + 1);
      expect(await send(store, fresh)).toBe('fresh');
      expect(await send(store, fresh)).toBe('seen');
      for (const request of requests)
        await expect(send(store, request)).rejects.toMatchObject({ code: 'auth_unavailable' });
    }
  }
  return {
    db: () => tables.db,
    redisUrl,
    start,
    stop,
    seconds,
    captured,
    send,
    admin,
    acceptedBy,
    refusesReplaysOf,
    /** Another Redis, empty */
    async anotherRedis(): Promise<RunningService> {
      const other = await startRedis();
      closers.push(() => other.stop());
      return other;
    },
    /** From now on the address leads to this server; resolves when the store has detected it */
    async moveTo(other: RunningService, store: NonceStore): Promise<void> {
      proxy.target = portOf(other);
      proxy.cut();
      await vi.waitFor(() => expect(store.health().detail).toContain('changed'), patience);
    },
    until: (store: NonceStore, detail: string) =>
      vi.waitFor(() => expect(store.health().detail).toContain(detail), patience),
  };
}
