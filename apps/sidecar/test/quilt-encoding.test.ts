import { computeBlobId } from '@memrelay/blob-id/blob-id';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { encodeFiles, patchId } from '../src/store/quilt-encoding.ts';
import { createQuiltPool } from '../src/store/quilt-pool.ts';

/** Ids of the public networks for these files (release 1.56 of Walrus). */
const known = {
  files: [
    { identifier: 'patch-2.txt', contents: Buffer.from('Hello from patch 2') },
    { identifier: 'patch-1.txt', contents: Buffer.from('Hello from patch 1') },
  ],
  quiltId: 'BfdX2ehcmlCnc4COknwCIVmi5Z-VeOhQ87PHWeYYW8k',
  ends: ['W8kBAgADAA', 'W8kBAQACAA'],
};

test('packs the same bytes and patch ids as the public networks', () => {
  const { bytes, ranges } = encodeFiles({ files: known.files, nShards: 1000 });
  const { blobId } = computeBlobId(bytes, { nShards: 1000 });
  expect(blobId).toBe(known.quiltId);
  const ids = ranges.map((range) => patchId(blobId, range));
  expect(ids.map((id) => id.slice(-10))).toEqual(known.ends);
  expect(ids.every((id) => /^[A-Za-z0-9_-]{50}$/.test(id) && id.startsWith(blobId.slice(0, 42)))).toBe(true);
});

test('a worker thread packs the same bytes, and rejects files that fit into no quilt', async () => {
  const log = pino({ enabled: false });
  const small = createQuiltPool(31, log);
  const large = createQuiltPool(1000, log);
  try {
    const inThread = await large.encode(known.files);
    const here = encodeFiles({ files: known.files, nShards: 1000 });
    expect(Buffer.from(inThread.bytes).equals(here.bytes)).toBe(true);
    expect(inThread.ranges).toEqual(here.ranges);
    const many = Array.from({ length: 21 }, (_, i) => ({
      identifier: String(i),
      contents: Buffer.alloc(i === 0 ? 100_000 : 10),
    }));
    await expect(small.encode(many)).rejects.toThrow('Too many');
    await expect(small.encode(many.slice(1))).resolves.toMatchObject({ ranges: { length: 20 } });
  } finally {
    await Promise.all([small.close(), large.close()]);
  }
});
