import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { computeBlobMetadata } from '../src/blob-id.ts';
import { createColumnRoots } from '../src/encode/column-roots.ts';
import type { Encoder } from '../src/encode/encode-blob.ts';
import { withEncoder } from '../src/encode/encoders.ts';
import type { Kernel } from '../src/kernel/kernel.ts';
import { sourceMatrix } from '../src/source/matrix.ts';
import { content, referenceIdentity, referenceSliverHashes } from './reference.ts';

const identityOf = (bytes: Uint8Array, nShards: number) => {
  const { blobId, rootHash } = computeBlobMetadata(bytes, { nShards });
  return { blobId, rootHash };
};

/** The smallest number of shards that uses a table; the SDK takes a second and a half for a blob at 1000. */
const nShards = 256;
const rowBytes = sourceMatrix(nShards).columns * 2;

test('consecutive blobs around the end of the first row have the ids of the Walrus SDK', () => {
  const sizes = [0, 1, 2, 3, 100, 101, ...[-2, -1, 0, 1, 2].map((more) => rowBytes + more)];
  for (const size of sizes) {
    const bytes = content(size, size + 1);
    const expected = { size, ...referenceIdentity(bytes, nShards) };
    for (const _time of ['first', 'second']) {
      expect({ size, ...identityOf(bytes, nShards) }).toEqual(expected);
    }
  }
});

test('random blobs, and blobs with few symbols, have the ids and hashes of the Walrus SDK', () => {
  const letters = Buffer.from('the cat sat on the mat '.repeat(40));
  for (let round = 0; round < 5; round++) {
    const size = randomBytes(2).readUInt16LE() % (rowBytes + 40);
    for (const bytes of [randomBytes(size), letters.subarray(0, size), Buffer.alloc(size, round % 2)]) {
      const name = { hex: bytes.toString('hex') };
      expect({ ...name, ...identityOf(bytes, nShards) }).toEqual({
        ...name,
        ...referenceIdentity(bytes, nShards),
      });
    }
  }
  const bytes = content(rowBytes);
  const { sliverHashes } = computeBlobMetadata(bytes, { nShards });
  expect(Buffer.from(sliverHashes)).toEqual(Buffer.from(referenceSliverHashes(bytes, nShards)));
});

test.each([1333, 1334, 1335])(
  "with 1000 shards, %i bytes twice: the id equals the Walrus SDK's",
  { timeout: 60_000 },
  (size) => {
    const bytes = content(size, 7);
    const expected = referenceIdentity(bytes, 1000);
    expect(identityOf(bytes, 1000)).toEqual(expected);
    expect(identityOf(bytes, 1000)).toEqual(expected);
  },
);

/** Number of node pairs hashed for a blob. */
function hashedPairs(bytes: Uint8Array): number {
  const count = { pairs: 0 };
  const lend = (use: (encoder: Encoder) => void) => withEncoder(nShards, use);
  let original: Kernel['hashPairs'];
  lend((encoder) => {
    original = encoder.kernel.hashPairs;
    encoder.kernel.hashPairs = (...args) => {
      count.pairs += args[5]!;
      original(...args);
    };
  });
  identityOf(bytes, nShards);
  lend((encoder) => {
    encoder.kernel.hashPairs = original;
  });
  return count.pairs;
}

test('does not rehash columns whose symbol occurred before', () => {
  const bytes = content(rowBytes, 99);
  const first = hashedPairs(bytes);
  const again = hashedPairs(bytes);
  expect(again).toBeLessThan(first * 0.6);
  const twoRows = content(rowBytes + 1, 99);
  expect(hashedPairs(twoRows)).toBe(hashedPairs(twoRows));
});

test('stores roots by their symbol, and uses no memory before the first', () => {
  const bytes = Uint8Array.from({ length: 96 }, (_, i) => i);
  const roots = createColumnRoots();
  expect(roots.copyTo(bytes, 64, 65_535)).toBe(false);
  roots.keep(bytes, 0, 65_535);
  roots.keep(bytes, 32, 0);
  expect(roots.copyTo(bytes, 64, 65_534)).toBe(false);
  expect(roots.copyTo(bytes, 64, 65_535)).toBe(true);
  expect(bytes.slice(64)).toEqual(bytes.slice(0, 32));
  expect(roots.copyTo(bytes, 64, 0)).toBe(true);
  expect(bytes.slice(64)).toEqual(bytes.slice(32, 64));
});
