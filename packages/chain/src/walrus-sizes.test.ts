import { expect, test } from 'vitest';
import { blobIdFromInteger, blobIdToInteger } from './walrus-bcs.ts';
import { encodedBlobLength, storageCost, storageUnits } from './walrus-sizes.ts';

test('encoded lengths over 1000 shards equal those in the Walrus documentation', () => {
  const sizes = [0, 445_556, 445_557, 1_048_576, 10_485_760, 104_857_600, 14_599_533_452];
  expect(sizes.map((size) => encodedBlobLength(size, 1000))).toEqual([
    66_034_000, 66_034_000, 68_036_000, 70_038_000, 112_080_000, 536_504_000, 65_663_566_000,
  ]);
});

test('a price is per started unit of 1 MiB', () => {
  expect([1, 1_048_576, 1_048_577].map(storageUnits)).toEqual([1n, 1n, 2n]);
  expect(storageCost(66_034_000, 2, { storage: 10n, write: 1n })).toEqual({ storage: 1260n, write: 63n });
});

test("a blob id has the same value as text and as the contract's integer", () => {
  const blobId = 'M4hsZGQ1oCktdzegB6HnI6Mi28S2nqOPHxK-W7_4BUk';
  expect(blobIdFromInteger(blobIdToInteger(blobId))).toBe(blobId);
  expect(blobIdToInteger('AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA')).toBe(1n);
});
