import { startRedis } from '@memrelay/dev-env/services/redis';
import type { RunningService } from '@memrelay/dev-env/services/service';
import { createClient } from '@redis/client';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Bucket, Buckets } from '../../src/api/limits/buckets.ts';
import { createMemoryBuckets } from '../../src/api/limits/memory-buckets.ts';
import { createRedisBuckets } from '../../src/api/limits/redis-buckets.ts';
import { silent } from '../support/auth-app.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

/** Long enough for a busy machine */
const patience = 20_000;
let redis: RunningService;
let proxy: TcpProxy;
const opened: { close(): Promise<void> }[] = [];

async function redisBuckets(options: Partial<Parameters<typeof createRedisBuckets>[0]> = {}) {
  const buckets = createRedisBuckets({ url: `redis://127.0.0.1:${proxy.port}`, log: silent, ...options });
  opened.push(buckets);
  return buckets;
}

let count = 0;
/** A bucket that no test has used, with an hour to refill: during a test it gains next to nothing */
const newBucket = (units: number, seconds = 3_600): Bucket => ({ key: `test-${++count}`, units, seconds });
const isTaken = (states: { waitSeconds: number }[]) => states.every(({ waitSeconds }) => waitSeconds === 0);

/** Waits until the keys of a bucket are in Redis, which shows that Redis is in use. */
async function untilShared(buckets: Buckets): Promise<void> {
  const admin = createClient({ url: redis.url });
  await admin.connect();
  const probe = newBucket(1_000);
  const isShared = async () => {
    await buckets.take([probe], 1);
    return (await admin.exists(`memrelay:bucket:${probe.key}`)) === 1;
  };
  await expect.poll(isShared, { timeout: patience }).toBe(true);
  admin.destroy();
}

beforeAll(async () => {
  redis = await startRedis();
  proxy = await startTcpProxy(Number(new URL(redis.url).port));
});
afterAll(async () => {
  for (const { close } of opened) await close();
  await proxy?.close();
  await redis?.stop();
});

describe.each([
  {
    name: 'in this process',
    create: async () => {
      const buckets = createMemoryBuckets();
      return [buckets, buckets] as const;
    },
  },
  {
    name: 'in Redis, of two relayers',
    create: async () => {
      const both = [await redisBuckets(), await redisBuckets()] as const;
      await Promise.all(both.map(untilShared));
      return both;
    },
  },
])('buckets $name', ({ create }) => {
  test.each([
    [1, 100],
    [5, 20],
    [10, 10],
    [7, 14],
  ])('never give more than they hold to concurrent requests of %i units', async (cost, expected) => {
    const both = await create();
    const bucket = newBucket(100);
    const answers = await Promise.all(
      Array.from({ length: 150 }, (_, i) => both[i % 2]!.take([bucket], cost)),
    );
    expect(answers.filter(isTaken)).toHaveLength(expected);
    const [state] = await both[0].take([bucket], 0);
    expect(state!.left).toBe(100 - cost * expected);
  });

  test('take from all buckets or from none', async () => {
    const [buckets] = await create();
    const [small, large] = [newBucket(10), newBucket(1_000)];
    await buckets.take([large, small], 10);
    const refused = await buckets.take([large, small], 1);
    expect(refused.map(({ left, waitSeconds }) => [left, waitSeconds > 0])).toEqual([
      [990, false],
      [0, true],
    ]);
    expect(refused[1]!.waitSeconds).toBeCloseTo(360, -1);
    expect((await buckets.take([large], 1))[0]!.left).toBe(989);
  });

  test('refill evenly', async () => {
    const [buckets] = await create();
    const bucket = newBucket(20, 2);
    expect(isTaken(await buckets.take([bucket], 20))).toBe(true);
    const [refused] = await buckets.take([bucket], 5);
    expect(refused!.waitSeconds).toBeGreaterThan(0);
    expect(refused!.waitSeconds).toBeLessThanOrEqual(0.5);
    await new Promise((resolve) => setTimeout(resolve, refused!.waitSeconds * 1000 + 5));
    expect(isTaken(await buckets.take([bucket], 5))).toBe(true);
  });

  test('give more than they hold when forced, and refuse until that has refilled', async () => {
    const [buckets] = await create();
    const bucket = newBucket(10);
    const [forced] = await buckets.take([bucket], 25, true);
    expect(forced).toMatchObject({ left: 0 });
    const [refused] = await buckets.take([bucket], 1);
    expect(refused!.waitSeconds).toBeCloseTo(360 * 16, -1);
  });
});

test('a bucket of this process is full again after its time, and never more than full', async () => {
  let nowMs = 0;
  const { take } = createMemoryBuckets(() => nowMs);
  const bucket = newBucket(7, 60);
  for (let i = 0; i < 7; i++) expect(isTaken(await take([bucket], 1))).toBe(true);
  expect((await take([bucket], 1))[0]!.waitSeconds).toBeCloseTo(60 / 7, 3);
  nowMs += 3_600_000;
  expect(await take([bucket], 7)).toEqual([{ left: 0, fullInSeconds: 60, waitSeconds: 0 }]);
  expect(isTaken(await take([bucket], 1))).toBe(false);
});

test('keys in Redis expire when their bucket is full', async () => {
  const buckets = await redisBuckets();
  await untilShared(buckets);
  const bucket = newBucket(100, 60);
  await buckets.take([bucket], 50);
  const admin = createClient({ url: redis.url });
  await admin.connect();
  const ttl = await admin.pTTL(`memrelay:bucket:${bucket.key}`);
  expect(ttl).toBeGreaterThan(25_000);
  expect(ttl).toBeLessThanOrEqual(30_002);
  admin.destroy();
});

describe('without Redis', () => {
  /** The limits of each relayer: how many of 30 requests each of two admits */
  async function admitted(relayers: readonly Buckets[], bucket: Bucket): Promise<number[]> {
    const counts: number[] = [];
    for (const { take } of relayers) {
      const answers = await Promise.all(Array.from({ length: 30 }, () => take([bucket], 1)));
      counts.push(answers.filter(isTaken).length);
    }
    return counts;
  }

  test.each(['is unreachable', 'does not respond'])(
    'that %s, each relayer counts separately, and together again after its return',
    async (failure) => {
      const lines: string[] = [];
      const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
      const options = { log, timeoutMs: failure === 'does not respond' ? 100 : 5_000 };
      const relayers = [await redisBuckets(options), await redisBuckets(options)];
      await Promise.all(relayers.map(untilShared));
      expect(await admitted(relayers, newBucket(20))).toEqual([20, 0]);
      lines.length = 0;
      const { target } = proxy;
      if (failure === 'is unreachable') {
        proxy.target = undefined;
        proxy.cut();
      } else proxy.silent = true;
      expect(await admitted(relayers, newBucket(20))).toEqual([20, 20]);
      expect(lines.filter((line) => line.includes('counts its request limits separately'))).toHaveLength(2);
      proxy.target = target;
      proxy.silent = false;
      proxy.cut();
      await Promise.all(relayers.map(untilShared));
      expect(await admitted(relayers, newBucket(20))).toEqual([20, 0]);
    },
  );
});
