import { randomBytes, randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { pageOfIds } from '../src/registry/page-of-ids.ts';

const ids = Array.from({ length: 20_000 }, () => randomBytes(8).toString('hex'));
const sorted = ids.toSorted();

test.each([1, 7, 100, 1249, 1250, 1251, 20_000, Number.MAX_SAFE_INTEGER])(
  'pages of %i equal those of the sorted list',
  (limit) => {
    expect(pageOfIds(ids, { limit })).toEqual(sorted.slice(0, limit));
    const start = randomInt(ids.length);
    const page = pageOfIds(ids, { after: sorted[start] ?? '', limit });
    expect(page).toEqual(sorted.slice(start + 1, start + 1 + Math.min(limit, ids.length)));
  },
);

test('does not depend on the order of the ids', () => {
  for (const order of [sorted, sorted.toReversed()]) {
    expect(pageOfIds(order, { limit: 50 })).toEqual(sorted.slice(0, 50));
  }
  expect(pageOfIds(ids, { after: sorted.at(-1) ?? '', limit: 5 })).toEqual([]);
  expect(pageOfIds([], { limit: 5 })).toEqual([]);
});
