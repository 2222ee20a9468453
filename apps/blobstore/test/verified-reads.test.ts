import { randomBytes } from 'node:crypto';
import { open, stat, utimes } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { blockBytes } from '../src/storage/block-digests.ts';
import { rawRead } from './raw-read.ts';
import { blobIdOf, patient, startStore, temporaryDirectory } from './running-store.ts';
import { fileOf, flipBit } from './stored-files.ts';

/** A blob whose blocks count as verified after several reads, and its file. */
async function readOften(size: number) {
  const dataDir = await temporaryDirectory();
  const { url } = await startStore({ dataDir });
  const content = randomBytes(size);
  const blobId = await blobIdOf(url, content);
  const path = await fileOf(dataDir, blobId);
  // A file that was just written is verified at every read
  await expect.poll(async () => Date.now() - (await stat(path)).ctimeMs, patient).toBeGreaterThan(1500);
  const read = (range?: string) =>
    rawRead(`${url}/v1/blobs/${blobId}`, range === undefined ? {} : { headers: { range } });
  for (let i = 0; i < 3; i += 1) expect((await read()).bytes.equals(content)).toBe(true);
  return { content, path, read };
}

test.each([1000, 2 * blockBytes + 5])(
  'detects damage to a file of %i bytes at the next read, however often it was read before',
  async (size) => {
    const { path, read } = await readOften(size);
    await flipBit(path, 10);
    expect((await read()).status).toBe(500);
    expect((await read('bytes=0-20')).status).toBe(500);
    await flipBit(path, 10);
    expect((await read()).status).toBe(200);
  },
);

test('detects damage even if the file times were restored', async () => {
  const { path, read } = await readOften(5000);
  const { atime, mtime } = await stat(path);
  await flipBit(path, 4999);
  await utimes(path, atime, mtime);
  expect((await read()).status).toBe(500);
});

test('a file that becomes shorter or longer is an error', async () => {
  const { path, read, content } = await readOften(blockBytes + 1);
  const file = await open(path, 'r+');
  await file.truncate(blockBytes);
  expect((await read()).status).toBe(500);
  await file.write(content.subarray(blockBytes), 0, 1, blockBytes);
  expect((await read()).bytes.equals(content)).toBe(true);
  await file.truncate(blockBytes + 2);
  expect((await read()).status).toBe(500);
  await file.close();
});

test.each([1, blockBytes, 4 * blockBytes, 4 * blockBytes + 1, 9 * blockBytes + 7])(
  'returns ranges of %i bytes correctly, block by block and across segments',
  async (size) => {
    const { content, read } = await readOften(size);
    const edges = [0, 1, blockBytes - 1, blockBytes, 2 * blockBytes, 4 * blockBytes, size - 1];
    for (const start of edges) {
      for (const end of edges) {
        if (start > end || end >= size) continue;
        const { status, bytes } = await read(`bytes=${start}-${end}`);
        expect(status).toBe(206);
        expect(bytes.equals(content.subarray(start, end + 1))).toBe(true);
      }
    }
  },
);
