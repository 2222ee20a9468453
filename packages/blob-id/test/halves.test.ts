import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { computeBlobId, hashHalf, identityOfHalves } from '../src/blob-id.ts';
import { createBlobIdPool } from '../src/blob-id-pool.ts';
import { columnHalves } from '../src/encode/encode-blob.ts';
import { sourceMatrix } from '../src/source/matrix.ts';
import { content } from './reference.ts';

function fromHalves(bytes: Uint8Array, nShards: number) {
  const halves = [hashHalf(bytes, 0, { nShards }), hashHalf(bytes, 1, { nShards })] as const;
  return identityOfHalves(bytes.length, halves, { nShards });
}

test.each([4, 5, 7, 8, 9, 10, 16, 17, 31, 32, 33, 100, 256, 300])(
  'two halves of %i shards give the id',
  (nShards) => {
    const { rows, columns } = sourceMatrix(nShards);
    const row = columns * 2;
    const edges = [0, 1, 2, 3, nShards, row - 1, row, row + 1, 2 * row + 1, rows * row, rows * row + 1];
    for (const size of edges) {
      const bytes = content(size, nShards);
      const expected = { size, ...computeBlobId(bytes, { nShards }) };
      expect({ size, ...fromHalves(bytes, nShards) }).toEqual(expected);
    }
  },
);

test.each([1000, 1334, 1335, 2048, 5000])('two halves of 1000 shards give the id of %i bytes', (size) => {
  const bytes = randomBytes(size);
  expect(fromHalves(bytes, 1000)).toEqual(computeBlobId(bytes, { nShards: 1000 }));
});

test('the halves divide the columns, and the first one fills its trees', () => {
  expect(columnHalves(1000)).toEqual([
    { start: 0, end: 512, level: 9 },
    { start: 512, end: 1000, level: 9 },
  ]);
  expect(columnHalves(32)[0]).toEqual({ start: 0, end: 16, level: 4 });
});

test('a pool divides one blob between idle threads, and distributes several, with the same ids', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'blob-id-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const pool = createBlobIdPool({ nShards: 300, threads: 2 });
  onTestFinished(() => pool.close());
  const path = join(directory, 'blob');
  for (const size of [0, 1, 1500, 50_000, 200_000]) {
    const bytes = content(size, size);
    await writeFile(path, bytes);
    const expected = computeBlobId(bytes, { nShards: 300 });
    expect(await pool.ofBytes(bytes)).toEqual(expected);
    expect(await pool.ofFile(path)).toEqual(expected);
    expect(await Promise.all([1, 2, 3].map(() => pool.ofBytes(bytes)))).toEqual([
      expected,
      expected,
      expected,
    ]);
  }
  await expect(pool.ofFile(join(directory, 'nothing'))).rejects.toThrow(/ENOENT/);
  expect(await pool.ofBytes(content(9))).toEqual(computeBlobId(content(9), { nShards: 300 }));
});
