import { InMemoryStore, type Operation } from '@langchain/langgraph-checkpoint';
import { createMemoryDouble } from '@memrelay/dev-env/memory-double';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MemRelayStore } from '../src/mem-relay-store.ts';

const start = () => {
  const memory = createMemoryDouble();
  return { memory, store: new MemRelayStore({ memory, namespace: 'store' }) };
};

// Namespaces that are prefixes of each other, and few keys, so that operations meet
const namespace = fc.constantFrom(['users'], ['users', 'ana'], ['users', 'ana', 'notes'], ['teams']);
const prefix = fc.oneof(namespace, fc.constant<string[]>([]));
const key = fc.constantFrom('a', 'b', 'c');
const value = fc.record({ n: fc.integer({ min: 0, max: 3 }), text: fc.constantFrom('tea', 'milk') });
const filter = fc.constantFrom(undefined, { n: 1 }, { n: { $gt: 1 } }, { n: { $ne: 0 }, text: 'tea' });
const page = { limit: fc.integer({ min: 1, max: 20 }), offset: fc.constant(0) };
const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ namespace, key, value }),
  fc.record({ namespace, key, value: fc.constant(null) }),
  fc.record({ namespace, key }),
  fc.record({ namespacePrefix: prefix, filter, limit: fc.constant(100), offset: fc.constant(0) }),
  fc.record({
    matchConditions: fc.constantFrom(
      undefined,
      [{ matchType: 'prefix' as const, path: ['users', '*'] }],
      [{ matchType: 'suffix' as const, path: ['notes'] }],
    ),
    maxDepth: fc.constantFrom(undefined, 1, 2),
    ...page,
  }),
) as fc.Arbitrary<Operation>;

/** Without times, and without an order that LangGraph does not define. */
function shown(results: readonly unknown[]): unknown[] {
  return results.map((result) => {
    if (!Array.isArray(result)) return itemShown(result);
    return result.every(Array.isArray) ? result : result.map(itemShown).sort();
  });
}

function itemShown(item: unknown): string {
  if (item === null || item === undefined) return 'nothing';
  const { namespace, key, value } = item as { namespace: string[]; key: string; value: object };
  return JSON.stringify([namespace, key, Object.entries(value).sort()]);
}

it("answers any operations as LangGraph's own store does", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(operation, { minLength: 1, maxLength: 4 }), { maxLength: 8 }),
      async (batches) => {
        const { store } = start();
        const reference = new InMemoryStore();
        // LangGraph's store lists namespaces that have become empty, too
        const hasDeletion = batches.flat().some((each) => 'value' in each && each.value === null);
        for (const batch of batches) {
          const compared = batch.filter((each) => !(hasDeletion && 'matchConditions' in each));
          // It returns the item itself, which a write of the same batch would change
          const isWrite = (each: Operation): boolean => 'value' in each;
          const expected = shown(await reference.batch(compared.filter((each) => !isWrite(each))));
          await reference.batch(compared.filter(isWrite));
          const results = await store.batch(compared);
          expect(shown(results.filter((_, i) => !isWrite(compared[i]!)))).toEqual(expected);
        }
      },
    ),
    { numRuns: 200 },
  );
});

it('keeps the time of creation, and only one version of an item', async () => {
  const { memory, store } = start();
  await store.put(['users', 'ana'], 'drink', { text: 'tea' });
  const first = await store.get(['users', 'ana'], 'drink');
  await store.put(['users', 'ana'], 'drink', { text: 'coffee' });
  const second = await store.get(['users', 'ana'], 'drink');
  expect(second).toMatchObject({ value: { text: 'coffee' }, createdAt: first!.createdAt });
  expect(second!.updatedAt.getTime()).toBeGreaterThanOrEqual(first!.updatedAt.getTime());
  expect(memory.stored()).toHaveLength(1);
  await store.delete(['users', 'ana'], 'drink');
  expect(memory.stored()).toEqual([]);
});

it('keeps equal values under two keys, and a value that comes back', async () => {
  const { store } = start();
  await store.put(['a'], 'x', { n: 1 });
  await store.put(['a'], 'y', { n: 1 });
  await store.put(['a'], 'x', { n: 2 });
  await store.put(['a'], 'x', { n: 1 });
  expect((await store.search(['a'])).map(({ key }) => key).sort()).toEqual(['x', 'y']);
  expect((await store.get(['a'], 'x'))!.value).toEqual({ n: 1 });
});

it('searches by meaning below the prefix only, with a score, without unindexed items', async () => {
  const { memory, store } = start();
  await store.put(['users', 'ana'], 'drink', { text: 'tea' });
  await store.put(['users', 'bob'], 'drink', { text: 'coffee' });
  await store.put(['users', 'ana'], 'secret', { text: 'tea cake' }, false);
  const found = await store.search(['users', 'ana'], { query: 'drink?' });
  expect(found).toMatchObject([{ key: 'drink', namespace: ['users', 'ana'], score: 0.9 }]);
  expect(await store.search(['users'], { query: 'drink?', filter: { text: 'coffee' } })).toHaveLength(1);
  expect(memory.calls.filter(({ method }) => method === 'recall')).toHaveLength(2);
});

it('an interrupted replacement leaves both versions, of which the newest counts and the other goes later', async () => {
  const { memory, store } = start();
  await store.put(['a'], 'x', { n: 1 });
  memory.before('forget', () => Promise.reject(new Error('connection lost')));
  await expect(store.put(['a'], 'x', { n: 2 })).rejects.toThrow('connection lost');
  expect((await store.get(['a'], 'x'))!.value).toEqual({ n: 2 });
  expect(await store.search(['a'])).toHaveLength(1);
  memory.before('forget', async () => undefined);
  await store.put(['a'], 'x', { n: 3 });
  expect(memory.stored()).toHaveLength(1);
});

it('rejects what the store cannot hold', async () => {
  const { store } = start();
  await expect(store.put([], 'x', {})).rejects.toThrow('empty');
  await expect(store.put(Array(30).fill('deep'), 'x', {})).rejects.toThrow('at most 29 parts');
});
