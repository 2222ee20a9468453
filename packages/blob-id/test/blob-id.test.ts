import fc from 'fast-check';
import { expect, test } from 'vitest';
import { computeBlobId, computeBlobMetadata } from '../src/blob-id.ts';
import { maxBlobSize, sourceMatrix } from '../src/source/matrix.ts';
import { content, referenceIdentity, referenceSliverHashes } from './reference.ts';

/** Ids of these bytes on the public networks (1000 shards). */
const golden: [content: string, blobId: string][] = [
  ['', '3GPQL3HZNnFhN_F7l5Aa-X1VOtAKwIsg9zuWk8R81v4'],
  ['some string', '9k95lgtG9iPU8yk_wYz8m8CUY1snveemF8ypfpBLUUg'],
  ['some other string', 'M4hsZGQ1oCktdzegB6HnI6Mi28S2nqOPHxK-W7_4BUk'],
  ['hello', 'VCHdU3RHtQVBYAI3c30jDhM8PNvrgv7OVxIb8eW6Ih4'],
  ['Hello, Walrus!', 'a7wmADgKiwLDFnpjyu6NBTkCS-1zLblj3TfmXZWxnew'],
  ['\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09', 'hlykhHkQSpvcE299ZzC385IAEuzLTpm6hUC5Njdm4JM'],
  ['walrus-local-sdk cross-environment blob_id fixture v1', 'x37bth2QxQZBbjZS6F-6l9mU_-bp46CRfOo33IAwe2U'],
];

const identityOf = (bytes: Uint8Array, nShards: number) => computeBlobId(bytes, { nShards });

test('with 1000 shards, ids equal those of the public networks', () => {
  const ids = golden.map(([text]) => identityOf(Buffer.from(text), 1000).blobId);
  expect(ids).toEqual(golden.map(([, blobId]) => blobId));
});

test.each([
  ['one byte more than a row of the matrix', 667 * 2 + 1],
  ['symbols of four bytes', 445_557],
  ['symbols of more than one chunk', 15_000_000],
])("with 1000 shards, %s: the id equals the Walrus SDK's", { timeout: 60_000 }, (_, size) => {
  const bytes = content(size);
  expect(identityOf(bytes, 1000)).toEqual(referenceIdentity(bytes, 1000));
});

test('with every small number of shards, ids equal those of the Walrus SDK', () => {
  for (let nShards = 4; nShards <= 40; nShards++) {
    const bytes = content(2_000 + nShards, nShards);
    expect({ nShards, ...identityOf(bytes, nShards) }).toEqual({
      nShards,
      ...referenceIdentity(bytes, nShards),
    });
  }
});

test('at the boundaries of symbols, rows and content, ids equal those of the Walrus SDK', () => {
  for (const nShards of [4, 7, 10, 31, 100]) {
    const { rows, columns } = sourceMatrix(nShards);
    const edges = [2, 4, 62, 64, 66, 126, 128, 130].flatMap((symbol) => [
      rows * columns * symbol,
      (rows - 1) * columns * symbol,
      columns * symbol,
    ]);
    const sizes = [0, 1, 2, 3, ...(nShards < 100 ? edges : edges.slice(0, 6))];
    for (const size of new Set(sizes.flatMap((edge) => [Math.max(0, edge - 1), edge, edge + 1]))) {
      const bytes = content(size, nShards);
      const expected = { nShards, size, ...referenceIdentity(bytes, nShards) };
      expect({ nShards, size, ...identityOf(bytes, nShards) }).toEqual(expected);
    }
  }
});

test('for random content and numbers of shards, ids equal those of the Walrus SDK', () => {
  const blob = fc.tuple(
    fc.constantFrom(4, 5, 6, 7, 8, 9, 10, 13, 16, 31, 32, 33, 48, 64, 65, 100),
    fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      // Runs of equal bytes, including zeros, as in real files
      fc
        .array(fc.tuple(fc.constantFrom(0, 0, 1, 255), fc.nat({ max: 4_000 })), { maxLength: 6 })
        .map((runs) => Buffer.concat(runs.map(([byte, length]) => Buffer.alloc(length, byte)))),
      fc.tuple(fc.nat({ max: 300_000 }), fc.nat()).map(([size, seed]) => content(size, seed)),
    ),
  );
  fc.assert(
    fc.property(blob, ([nShards, bytes]) => {
      expect(identityOf(bytes, nShards)).toEqual(referenceIdentity(bytes, nShards));
    }),
    { numRuns: 150 },
  );
});

test('the hashes of all slivers equal those of the Walrus SDK', () => {
  for (const [nShards, size] of [
    [4, 100],
    [10, 5],
    [10, 30_000],
    [31, 100_000],
  ] as const) {
    const bytes = content(size);
    const { sliverHashes } = computeBlobMetadata(bytes, { nShards });
    expect(Buffer.from(sliverHashes)).toEqual(Buffer.from(referenceSliverHashes(bytes, nShards)));
  }
});

test('the largest blob has an id, one byte more has none', () => {
  const largest = maxBlobSize(4);
  expect(largest).toBe(393_204);
  expect(identityOf(content(largest), 4)).toEqual(referenceIdentity(content(largest), 4));
  expect(() => identityOf(content(largest + 1), 4)).toThrow(RangeError);
  expect(maxBlobSize(1000)).toBe(14_599_533_452);
});

test('rejects a number of shards that the code does not support', () => {
  for (const nShards of [-1, 0, 1, 3, 4.5, 32_769, Number.NaN, Number.POSITIVE_INFINITY])
    expect(() => identityOf(content(10), nShards)).toThrow(RangeError);
});
