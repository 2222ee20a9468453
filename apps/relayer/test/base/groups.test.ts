import { setImmediate as nextTurn } from 'node:timers/promises';
import { currentRequestId, runInRequest } from '@memrelay/process/request-scope';
import { beforeEach, describe, expect, test } from 'vitest';
import { createGroups, type GroupOptions } from '../../src/base/concurrency/groups.ts';

let groups: string[][];
let ends: ((answers?: Promise<string>[]) => void)[];

beforeEach(() => {
  groups = [];
  ends = [];
});

/** Groups that go on until `end` */
function collect(options: Partial<GroupOptions<string, string>> = {}) {
  return createGroups<string, string>({
    maxItems: 3,
    run(items) {
      groups.push([...items]);
      const answers = items.map((item) => `${item}!`);
      return new Promise((resolve) => ends.push((given) => resolve(given ?? answers)));
    },
    ...options,
  });
}

async function end(): Promise<void> {
  ends.shift()!();
  await nextTurn();
  await nextTurn();
}

describe('groups', () => {
  test('hold what comes in one turn of the event loop, in its order', async () => {
    const add = collect();
    const answers = Promise.all(['a', 'b', 'c', 'd'].map(add));
    expect(groups).toEqual([]);
    await nextTurn();
    expect(groups).toEqual([['a', 'b', 'c'], ['d']]);
    for (const finish of ends) finish();
    expect(await answers).toEqual(['a!', 'b!', 'c!', 'd!']);
  });

  test('collect while as many as allowed are running', async () => {
    const add = collect({ atOnce: 1 });
    void add('a');
    await nextTurn();
    void add('b');
    await nextTurn();
    void add('c');
    await nextTurn();
    expect(groups).toEqual([['a']]);
    await end();
    expect(groups).toEqual([['a'], ['b', 'c']]);
  });

  test('never hold two items with the same key, and keep their order', async () => {
    const add = collect({ atOnce: 1, keyOf: (item) => item[0] });
    for (const item of ['a1', 'a2', 'b1', 'a3', 'b2']) void add(item);
    await nextTurn();
    await end();
    await end();
    expect(groups).toEqual([['a1', 'b1'], ['a2', 'b2'], ['a3']]);
  });

  test('wait for a running group with the same key, and let others pass', async () => {
    const add = collect({ atOnce: 2, keyOf: (item) => item[0] });
    void add('a1');
    await nextTurn();
    for (const item of ['a2', 'b1']) void add(item);
    await nextTurn();
    expect(groups).toEqual([['a1'], ['b1']]);
    await end();
    expect(groups).toEqual([['a1'], ['b1'], ['a2']]);
  });

  test('are bounded in size, but hold an item that is larger', async () => {
    const add = collect({ maxItems: 9, maxSize: 5, sizeOf: (item) => item.length });
    for (const item of ['aaa', 'bb', 'c', 'dddddddd', 'e']) void add(item);
    await nextTurn();
    expect(groups).toEqual([['aaa', 'bb'], ['c'], ['dddddddd'], ['e']]);
  });

  test('give each item its own answer, or the failure of all', async () => {
    const add = collect();
    const [first, second] = [add('a'), add('b')];
    await nextTurn();
    ends.shift()!([Promise.resolve('yes'), Promise.reject(new Error('no'))]);
    expect(await first).toBe('yes');
    await expect(second).rejects.toThrow('no');
    const failing = collect({ run: () => Promise.reject(new Error('lost')) });
    const all = await Promise.allSettled(['a', 'b'].map(failing));
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  test('belong to no request', async () => {
    const ids: unknown[] = [];
    const add = collect({
      async run(items) {
        ids.push(currentRequestId());
        return items;
      },
    });
    await new Promise<void>((resolve) => {
      runInRequest('r1', () => void add('a').then(() => resolve()));
    });
    expect(ids).toEqual([undefined]);
  });
});
