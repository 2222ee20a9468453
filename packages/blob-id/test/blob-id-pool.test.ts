import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { computeBlobId } from '../src/blob-id.ts';
import { type BlobIdPool, createBlobIdPool } from '../src/blob-id-pool.ts';
import { content } from './reference.ts';

function poolFor(nShards: number, threads = 2): BlobIdPool {
  const pool = createBlobIdPool({ nShards, threads });
  onTestFinished(() => pool.close());
  return pool;
}

test('computes the same ids for many concurrent blobs, in memory and in files, as for single ones', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'blob-id-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const pool = poolFor(31);
  const blobs = Array.from({ length: 20 }, (_, i) => content(i * 1_733, i));
  const ids = await Promise.all(
    blobs.flatMap(async (bytes, i) => {
      const path = join(directory, String(i));
      await writeFile(path, bytes);
      return [await pool.ofBytes(bytes), await pool.ofFile(path)];
    }),
  );
  expect(ids).toEqual(
    blobs.map((bytes) => {
      const expected = computeBlobId(bytes, { nShards: 31 });
      return [expected, expected];
    }),
  );
});

test('accepts part of a larger buffer, and allows changing it right after the call', async () => {
  const pool = poolFor(10);
  const whole = content(10_000);
  const part = whole.subarray(17, 5_000);
  const expected = computeBlobId(part, { nShards: 10 });
  const identity = pool.ofBytes(part);
  whole.fill(0);
  expect(await identity).toEqual(expected);
  expect(whole.byteLength).toBe(10_000);
});

test('passes errors on and continues', async () => {
  const pool = poolFor(4, 1);
  await expect(pool.ofFile('/nowhere/blob')).rejects.toThrow(/ENOENT/);
  await expect(pool.ofFile(tmpdir())).rejects.toThrow(/EISDIR/);
  await expect(pool.ofBytes(new Uint8Array(400_000))).rejects.toThrow(RangeError);
  expect(await pool.ofBytes(content(9))).toEqual(computeBlobId(content(9), { nShards: 4 }));
});

test('does not block the event loop', async () => {
  const pool = poolFor(1000, 1);
  let done = false;
  const identity = pool.ofBytes(content(1_000)).finally(() => {
    done = true;
  });
  let turns = 0;
  while (!done) {
    await new Promise((resolve) => setImmediate(resolve));
    turns++;
  }
  // If it were computed in this thread, there would be only one turn before it and one after it
  expect(turns).toBeGreaterThan(100);
  expect(await identity).toEqual(computeBlobId(content(1_000), { nShards: 1000 }));
});

test('rejects waiting calls when the pool is closed', async () => {
  const pool = createBlobIdPool({ nShards: 1000, threads: 1 });
  const waiting = [1, 2, 3].map((size) => pool.ofBytes(content(size)));
  const outcomes = Promise.allSettled(waiting);
  await pool.close();
  expect((await outcomes).map(({ status }) => status)).toContain('rejected');
  await expect(pool.ofBytes(content(1))).rejects.toThrow(/closed/);
});
