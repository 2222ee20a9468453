import { expect, it } from 'vitest';
import { backoffMs } from '../src/backoff.ts';

const range = (failures: number, backoff: Parameters<typeof backoffMs>[1]) =>
  [0, 1].map((random) => backoffMs(failures, backoff, () => random));

it('doubles up to the cap, with the upper half random', () => {
  const backoff = { firstMs: 100, maxMs: 350 };
  expect([1, 2, 3, 4, 2_000].map((failures) => range(failures, backoff))).toEqual([
    [50, 100],
    [100, 200],
    [175, 350],
    [175, 350],
    [175, 350],
  ]);
});

it('accepts another factor and another random share', () => {
  expect(range(3, { firstMs: 1_000, maxMs: 60_000, factor: 3 })).toEqual([4_500, 9_000]);
  expect(range(2, { firstMs: 100, maxMs: 1_000, jitter: 1 })).toEqual([0, 200]);
  expect(range(2, { firstMs: 100, maxMs: 1_000, jitter: 0 })).toEqual([200, 200]);
});
