import { expect, test } from 'vitest';
import { createBatcher } from '../src/registry/chain/batcher.ts';

/** A batcher of at most 5 items whose batches wait until they are released, with the batches so far. */
function controlled() {
  const batches: number[][] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  const store = createBatcher(5, async (items: number[]) => {
    batches.push(items);
    const gate = Promise.withResolvers<void>();
    gates.push(gate);
    await gate.promise;
    return items.map((item) =>
      item < 0
        ? { status: 'rejected' as const, reason: new Error(`${item}`) }
        : { status: 'fulfilled' as const, value: item * 10 },
    );
  });
  return { store, batches, open: () => gates.shift()?.resolve() };
}

test('runs the first item alone, batches items that arrive in the meantime, and returns the result of each item', async () => {
  const { store, batches, open } = controlled();
  const answers = [1, 2, -3, 4].map((item) => store(item).catch((error: Error) => error.message));
  open();
  await expect.poll(() => batches.length).toBe(2);
  expect(batches).toEqual([[1], [2, -3, 4]]);
  open();
  expect(await Promise.all(answers)).toEqual([10, 20, '-3', 40]);
});

test('batches callers that return together, and runs a single remaining one alone', async () => {
  const { store, batches, open } = controlled();
  const first = [1, 2, 3].map(store);
  open();
  await expect.poll(() => batches.length).toBe(2);
  open();
  await Promise.all(first);
  // Both callers of the last batch have returned, so the batcher does not wait any longer.
  const again = [4, 5].map(store);
  await expect.poll(() => batches.length).toBe(3);
  expect(batches[2]).toEqual([4, 5]);
  open();
  await Promise.all(again);
  const lone = store(6);
  await expect.poll(() => batches.length).toBe(4);
  open();
  expect(await lone).toBe(60);
});

test('limits the batch size', async () => {
  const { store, batches, open } = controlled();
  const answers = Array.from({ length: 12 }, (_, index) => store(index));
  for (let count = 1; count <= 4; count += 1) {
    await expect.poll(() => batches.length).toBe(count);
    open();
  }
  await Promise.all(answers);
  expect(batches.map(({ length }) => length)).toEqual([1, 5, 5, 1]);
});
