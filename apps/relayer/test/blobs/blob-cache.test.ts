import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  type BlobCache,
  type BlobCacheLimits,
  createMemoryBlobCache,
  createNearBlobCache,
} from '../../src/blobs/blob-cache.ts';
import { createRedisBlobCache, roomWatch } from '../../src/blobs/redis-blob-cache.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const silent = pino({ enabled: false });
const redisUrl = process.env.MEMRELAY_TEST_REDIS_URL;
const newId = () => randomBytes(32).toString('base64url');

const kinds: { name: string; create: (limits: BlobCacheLimits) => BlobCache }[] = [
  { name: 'memory', create: (limits) => createMemoryBlobCache(limits) },
  {
    name: 'memory before a shared one',
    create: (limits) => createNearBlobCache(createMemoryBlobCache(limits), limits),
  },
  ...(redisUrl
    ? [{ name: 'Redis', create: (limits: BlobCacheLimits) => createRedisBlobCache(redisUrl, limits, silent) }]
    : []),
];

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((part) => part.close()));
});

describe.each(kinds)('a blob cache in $name', ({ create }) => {
  const started = async (limits: BlobCacheLimits): Promise<BlobCache> => {
    const cache = create(limits);
    open.push(cache);
    return cache;
  };

  test('returns stored blobs in the order of the ids, with gaps for missing ones', async () => {
    const cache = await started({ ttlSeconds: 60, maxBlobBytes: 1_000 });
    const [one, two] = [randomBytes(1_000), Buffer.alloc(0)];
    const ids = [newId(), newId(), newId()];
    await expect
      .poll(async () => {
        await cache.set(ids[0]!, one);
        return (await cache.getMany([ids[0]!]))[0];
      })
      .toEqual(one);
    await cache.set(ids[2]!, randomBytes(1_001));
    expect(await cache.getMany(ids)).toEqual([one, undefined, undefined]);
    await cache.set(ids[1]!, two);
    expect((await cache.getMany(ids))[0]).toEqual(one);
    expect(await cache.getMany([])).toEqual([]);
  });

  test('expires an entry after its TTL', async () => {
    const cache = await started({ ttlSeconds: 1, maxBlobBytes: 1_000 });
    const id = newId();
    await expect
      .poll(async () => {
        await cache.set(id, randomBytes(10));
        return (await cache.getMany([id]))[0] !== undefined;
      })
      .toBe(true);
    await expect.poll(async () => (await cache.getMany([id]))[0], { timeout: 5_000 }).toBeUndefined();
  });

  test.each([
    { ttlSeconds: 0, maxBlobBytes: 1_000 },
    { ttlSeconds: 60, maxBlobBytes: 0 },
  ])('is off with %o', async (limits) => {
    const cache = await started(limits);
    const id = newId();
    await cache.set(id, randomBytes(10));
    await cache.set(id, Buffer.alloc(0));
    expect(await cache.getMany([id])).toEqual([undefined]);
  });
});

describe('a blob cache before a shared one', () => {
  const limits = { ttlSeconds: 3_600, maxBlobBytes: 1_000 };
  const [one, two] = [randomBytes(10), randomBytes(20)];
  const ids = [newId(), newId(), newId()];

  test('asks the shared cache only for what it does not have', async () => {
    const shared = createMemoryBlobCache(limits);
    await shared.set(ids[0]!, one);
    const getMany = vi.spyOn(shared, 'getMany');
    const cache = createNearBlobCache(shared, limits);
    await cache.set(ids[1]!, two);
    expect(await cache.getMany(ids)).toEqual([one, two, undefined]);
    expect(getMany.mock.lastCall).toEqual([[ids[0], ids[2]]]);
    expect(await cache.getMany(ids.slice(0, 2))).toEqual([one, two]);
    expect(getMany).toHaveBeenCalledTimes(1);
  });

  test('deletes from both', async () => {
    const shared = createMemoryBlobCache(limits);
    const cache = createNearBlobCache(shared, limits);
    await cache.set(ids[0]!, one);
    await cache.delete([ids[0]!]);
    expect(await cache.getMany([ids[0]!])).toEqual([undefined]);
    expect(await shared.getMany([ids[0]!])).toEqual([undefined]);
  });

  test('has what another relayer deleted for a minute at most', async () => {
    const startMs = performance.now();
    const now = vi.spyOn(performance, 'now');
    try {
      const shared = createMemoryBlobCache(limits);
      const cache = createNearBlobCache(shared, limits);
      await cache.set(ids[0]!, one);
      await shared.delete([ids[0]!]);
      await setTimeout(10);
      expect(await cache.getMany([ids[0]!])).toEqual([one]);
      now.mockReturnValue(startMs + 61_000);
      await setTimeout(10);
      expect(await cache.getMany([ids[0]!])).toEqual([undefined]);
    } finally {
      now.mockRestore();
    }
  });
});

test('limits the size of the memory cache', async () => {
  const cache = createMemoryBlobCache({ ttlSeconds: 60, maxBlobBytes: 1_000 }, 2_500);
  const ids = [newId(), newId(), newId()];
  for (const id of ids) await cache.set(id, randomBytes(1_000));
  const kept = (await cache.getMany(ids)).map((bytes) => bytes !== undefined);
  expect(kept).toEqual([false, true, true]);
});

describe.runIf(redisUrl)('a Redis blob cache', () => {
  test('that is unreachable has no entries and delays no caller, and works once it is reachable', async () => {
    const proxy = await startTcpProxy(Number(new URL(redisUrl!).port));
    open.push(proxy);
    const target = proxy.target;
    proxy.target = undefined;
    const limits = { ttlSeconds: 60, maxBlobBytes: 1_000 };
    const cache = createRedisBlobCache(`redis://127.0.0.1:${proxy.port}`, limits, silent);
    open.push(cache);
    const id = newId();
    await cache.set(id, randomBytes(10));
    expect(await cache.getMany([id])).toEqual([undefined]);

    proxy.target = target;
    await expect
      .poll(
        async () => {
          await cache.set(id, randomBytes(10));
          return (await cache.getMany([id]))[0]?.length;
        },
        { timeout: 10_000 },
      )
      .toBe(10);

    proxy.silent = true;
    const asked = performance.now();
    expect(await cache.getMany([id])).toEqual([undefined]);
    await cache.set(id, randomBytes(10));
    expect(performance.now() - asked).toBeLessThan(5_000);
  });
});

test('leaves room for the nonces in a Redis with limited memory', async () => {
  let nowMs = 0;
  let info = 'used_memory:700\r\nmaxmemory:1000\r\n';
  let asked = 0;
  const hasRoom = roomWatch(
    async () => {
      asked += 1;
      if (info === 'away') throw new Error('away');
      return info;
    },
    () => nowMs,
  );
  expect(await hasRoom()).toBe(false);
  info = 'used_memory:699\r\nmaxmemory:1000\r\n';
  expect(await hasRoom()).toBe(false);
  expect(asked).toBe(1);
  nowMs += 6_000;
  expect(await hasRoom()).toBe(true);
  nowMs += 6_000;
  info = 'away';
  expect(await hasRoom()).toBe(false);
  // Entries that could not be queried are queried again immediately
  info = 'used_memory:5000\r\nmaxmemory:0\r\n';
  expect(await hasRoom()).toBe(true);
});
