import { maxPatches, quiltBytes, quiltSize } from '@memrelay/chain/quilt-size';
import { encodeQuilt } from '@mysten/walrus';
import { expect, test } from 'vitest';

const identifier = (i: number) => String(i).padStart(65, '0');

/** Sizes of patches in bytes, and number of shards */
const quilts: [string, number[], number][] = [
  ['one', [1_600], 31],
  ['many of the same size', new Array(20).fill(1_600), 31],
  ['a large one among small ones', [300_000, ...new Array(15).fill(1_600)], 31],
  ['more than two kinds', [9_000, 40_000, 1_600, 2_400, 700_000], 31],
  ['one of the smallest', [10], 1000],
  ['as many as there are columns', new Array(666).fill(1_700), 1000],
  ['a large one among many', [1_500_000, ...new Array(400).fill(2_000)], 1000],
];

test.each(quilts)('%s: same size as in the Walrus SDK', (_what, sizes, numShards) => {
  const blobs = sizes.map((size, i) => ({ identifier: identifier(i), contents: new Uint8Array(size) }));
  expect(quiltBytes(sizes, 65, numShards)).toBe(encodeQuilt({ blobs, numShards }).quilt.length);
});

test('rejects impossible quilts', () => {
  expect([maxPatches(31), maxPatches(1000)]).toEqual([20, 666]);
  expect(() => quiltBytes(new Array(21).fill(1), 65, 31)).toThrow(RangeError);
  expect(() => quiltSize(0, 1, 65, 31)).toThrow(RangeError);
});
