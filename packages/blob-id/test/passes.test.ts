import { expect, test } from 'vitest';
import { computeBlobId } from '../src/blob-id.ts';
import { blobMetadata } from '../src/encode/blob-metadata.ts';
import { planBlob } from '../src/encode/blob-plan.ts';
import { createEncoder } from '../src/encode/encoders.ts';
import { type BlobSource, bytesSource } from '../src/source/blob-source.ts';
import { maxBlobSize, sourceMatrix } from '../src/source/matrix.ts';
import { content } from './reference.ts';

const megabyte = 2 ** 20;

/** The id with the shortest possible passes: 128 bytes of each symbol. */
function idInShortPasses(nShards: number, source: BlobSource): string {
  const encoder = createEncoder(nShards);
  const plan = planBlob(encoder.matrix, source.size, 1);
  expect(plan.passes.length).toBe(Math.ceil(plan.symbolBytes / 128));
  return Buffer.from(blobMetadata(encoder, plan, source).id).toString('base64url');
}

test('a blob encoded in many passes has the same id as in one', () => {
  for (const nShards of [4, 7, 10, 31]) {
    const { rows, columns } = sourceMatrix(nShards);
    for (const symbol of [126, 128, 130, 192, 254, 256, 258, 1_000]) {
      for (const size of [rows * columns * symbol, (rows - 1) * columns * symbol + 3]) {
        const bytes = content(size, symbol);
        const expected = { nShards, size, id: computeBlobId(bytes, { nShards }).blobId };
        expect({ nShards, size, id: idInShortPasses(nShards, bytesSource(bytes)) }).toEqual(expected);
      }
    }
  }
});

test('symbols so large that their parts are read one by one give the same id', () => {
  const bytes = content(300_000);
  expect(idInShortPasses(4, bytesSource(bytes))).toBe(computeBlobId(bytes, { nShards: 4 }).blobId);
});

test('reads everything before the end and nothing after it', () => {
  for (const [nShards, size] of [
    [4, 1],
    [7, 14_999],
    [10, 60_001],
    [4, 299_999],
  ] as const) {
    const bytes = content(size);
    const seen = new Uint8Array(size);
    const source: BlobSource = {
      size,
      read(offset, into) {
        expect(into.byteLength).toBeGreaterThan(0);
        expect(offset + into.byteLength).toBeLessThanOrEqual(size);
        seen.fill(1, offset, offset + into.byteLength);
        into.set(bytes.subarray(offset, offset + into.byteLength));
      },
    };
    expect(idInShortPasses(nShards, source)).toBe(computeBlobId(bytes, { nShards }).blobId);
    expect(seen.every((byte) => byte === 1)).toBe(true);
  }
});

test.each([
  [4, 8],
  [31, 128],
  [100, 128],
  [1000, 192],
])('with %i shards, a blob of any size takes less than %i MB of memory', (nShards, limit) => {
  const largest = maxBlobSize(nShards);
  const started = new Error('started to read');
  for (const size of [1, 1_000, 1e6, 1e7, 1e8, 2 ** 30, 1e10, largest].filter((each) => each <= largest)) {
    const encoder = createEncoder(nShards);
    const read = (): never => {
      throw started;
    };
    expect(() => blobMetadata(encoder, planBlob(encoder.matrix, size), { size, read })).toThrow(started);
    expect(encoder.kernel.bytes().byteLength).toBeLessThan(limit * megabyte);
  }
});
