import { expect, test } from 'vitest';
import { createWeightedCache } from './weighted-cache.ts';

/** Creates values with the weight given by their key, and counts the calls. */
function countingCache(capacity: number) {
  const cache = createWeightedCache<{ weight: number }>(capacity);
  let made = 0;
  const get = (key: string) =>
    cache.get(key, async () => {
      made += 1;
      return { weight: Number(key.slice(1)) };
    });
  return { get, made: () => made };
}

test('keeps the most recently used values up to the capacity', async () => {
  const { get, made } = countingCache(10);
  for (const key of ['a4', 'b4', 'a4', 'c4', 'a4']) await get(key);
  expect(made()).toBe(3);
  await get('b4');
  expect(made()).toBe(4);
});

test('returns a value above the capacity without caching it', async () => {
  const { get, made } = countingCache(10);
  expect((await get('a11')).weight).toBe(11);
  await get('b4');
  await get('b4');
  await get('a11');
  expect(made()).toBe(3);
});

test('concurrent calls share one computation, and a failure is not cached', async () => {
  const cache = createWeightedCache<{ weight: number }>(10);
  let tries = 0;
  const make = async () => {
    tries += 1;
    if (tries === 1) throw new Error('not now');
    return { weight: 1 };
  };
  const failed = await Promise.allSettled([cache.get('a', make), cache.get('a', make)]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const [first, second] = await Promise.all([cache.get('a', make), cache.get('a', make)]);
  expect(first).toBe(second);
  expect(tries).toBe(2);
});
