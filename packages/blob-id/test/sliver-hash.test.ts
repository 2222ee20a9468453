import { randomBytes } from 'node:crypto';
import { BlobEncoder } from '@mysten/walrus-wasm';
import { describe, expect, test } from 'vitest';
import { computeBlobMetadata, identityOfHashes } from '../src/blob-id.ts';
import { sliverHash } from '../src/sliver-hash.ts';
import { sourceMatrix, symbolBytesFor } from '../src/source/matrix.ts';

/** Number of BCS bytes after the symbols: symbol size and index */
const trailerBytes = 4;

/** All slivers from the network's own encoder, without their BCS framing. */
function slivers(nShards: number, content: Uint8Array) {
  const matrix = sourceMatrix(nShards);
  const symbolBytes = symbolBytesFor(matrix, content.length);
  const buffers = (symbols: number) => {
    const length = symbols * symbolBytes;
    const prefixBytes = Math.floor(Math.log2(length) / 7) + 1;
    const all = Array.from({ length: nShards }, () => new Uint8Array(prefixBytes + length + trailerBytes));
    return { all, data: () => all.map((each) => each.subarray(prefixBytes, prefixBytes + length)) };
  };
  const primary = buffers(matrix.columns);
  const secondary = buffers(matrix.rows);
  new BlobEncoder(nShards).encode(content, primary.all, secondary.all);
  return { primary: primary.data(), secondary: secondary.data() };
}

describe.each([4, 10, 31, 100])('%i shards', (nShards) => {
  test.each([0, 1, 41, 42, 43, 463, 5000, 70_001])(
    'hashes each sliver of %i bytes to the value in the metadata',
    (size) => {
      const content = randomBytes(size);
      const { blobId, sliverHashes } = computeBlobMetadata(content, { nShards });
      const { primary, secondary } = slivers(nShards, content);
      for (let pair = 0; pair < nShards; pair++) {
        const [first, second] = [0, 32].map((offset) =>
          sliverHashes.subarray(pair * 64 + offset, pair * 64 + offset + 32),
        );
        expect(sliverHash(primary[pair]!, 'primary', nShards)).toEqual(first);
        expect(sliverHash(secondary[pair]!, 'secondary', nShards)).toEqual(second);
      }
      expect(identityOfHashes(size, sliverHashes, { nShards }).blobId).toBe(blobId);
    },
  );
});

test('hashes slivers of 1000 shards to the values in the metadata', () => {
  const nShards = 1000;
  const content = randomBytes(100_000);
  const { sliverHashes } = computeBlobMetadata(content, { nShards });
  const { primary, secondary } = slivers(nShards, content);
  for (const pair of [0, 1, 333, 334, 667, 999]) {
    expect(sliverHash(primary[pair]!, 'primary', nShards)).toEqual(
      sliverHashes.subarray(pair * 64, pair * 64 + 32),
    );
    expect(sliverHash(secondary[pair]!, 'secondary', nShards)).toEqual(
      sliverHashes.subarray(pair * 64 + 32, pair * 64 + 64),
    );
  }
});

test('one changed byte changes the hash', () => {
  const data = randomBytes(42);
  const before = sliverHash(data, 'primary', 31);
  data[41]! ^= 1;
  expect(sliverHash(data, 'primary', 31)).not.toEqual(before);
});

test('rejects data that is not a whole number of symbols, and another number of hashes', () => {
  for (const length of [0, 21, 41, 43]) {
    expect(() => sliverHash(new Uint8Array(length), 'primary', 31)).toThrow(RangeError);
  }
  expect(() => identityOfHashes(1, new Uint8Array(64), { nShards: 31 })).toThrow(RangeError);
});
