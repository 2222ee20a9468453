import { expect, test } from 'vitest';
import { createRecentState } from '../src/registry/chain/recent-state.ts';

function stateOf(epoch: number) {
  return { epoch, nShards: 31, prices: { storage: 1n, write: 1n }, nodeKeys: [] };
}

test('is read again for another epoch and after a rejection, not for every store', async () => {
  let epoch = 1;
  let reads = 0;
  const recent = createRecentState(stateOf(1), async () => {
    reads += 1;
    return stateOf(epoch);
  });
  expect((await recent.get()).epoch).toBe(1);
  expect(reads).toBe(0);
  epoch = 2;
  expect((await recent.get(2)).epoch).toBe(2);
  expect((await recent.get(2)).epoch).toBe(2);
  expect(reads).toBe(1);
  epoch = 3;
  recent.forget();
  expect((await recent.get()).epoch).toBe(3);
  expect(reads).toBe(2);
});

test('returns the error of a failed read, and reads again for the next caller', async () => {
  let fails = true;
  const recent = createRecentState(stateOf(1), async () => {
    if (fails) throw new Error('silent');
    return stateOf(2);
  });
  recent.forget();
  await expect(recent.get()).rejects.toThrow('silent');
  await expect(recent.get()).rejects.toThrow('silent');
  fails = false;
  expect((await recent.get()).epoch).toBe(2);
});
