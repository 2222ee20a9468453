import { expect, test } from 'vitest';
import { countByBlob, lostWith } from '../src/owner/living-memories.ts';

const blob = (seed: number): string => Buffer.alloc(32, seed).toString('base64url');
const patch = (seed: number, no: number): string =>
  Buffer.concat([Buffer.alloc(32, seed), Buffer.from([1, no, 0, no + 1, 0])]).toString('base64url');

test('counts memories by the blob of the memory or its patch; lost and pending ones are in none', () => {
  const counts = countByBlob([
    { blobId: patch(1, 1) },
    { blobId: patch(1, 2) },
    { blobId: patch(1, 3), lost: 'expired' },
    { blobId: blob(2) },
    {},
  ]);
  expect([...counts]).toEqual([
    [blob(1), 2],
    [blob(2), 1],
  ]);
});

test('does not count a blob as lost if another object of the wallet has it', () => {
  const all = ['a', 'b', 'c'].map((objectId, i) => ({ objectId, blobId: blob(i === 2 ? 2 : 1) }));
  const living = new Map([[blob(1), 5]]);
  expect(lostWith(all.slice(0, 1), all, living)).toEqual([]);
  expect(lostWith(all.slice(0, 2), all, living)).toEqual([{ blobId: blob(1), memories: 5 }]);
  expect(lostWith(all.slice(2), all, living)).toEqual([]);
});
