import { randomBytes } from 'node:crypto';
import { copyFile, rename, stat, truncate } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { putQuilt, quiltIdOf } from './quilt-client.ts';
import { rawRead } from './raw-read.ts';
import { refusal, startStore, temporaryDirectory } from './running-store.ts';
import { fileOf, flipBit } from './stored-files.ts';

/** Rows and columns of the matrix of 31 shards. */
const columns = 21;
const symbols = 11 * columns;

/** A stored quilt of six files, with functions to read them and to find their bytes on disk. */
async function storedQuilt(fileBytes: number) {
  const dataDir = await temporaryDirectory();
  const { url } = await startStore({ dataDir });
  const files = Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`n${n}`, randomBytes(fileBytes)]));
  const answer = await putQuilt(url, files, undefined, '?permanent=true&epochs=5');
  const quiltId = quiltIdOf(answer);
  const path = await fileOf(dataDir, quiltId);
  const symbolBytes = (answer.blobStoreResult.newlyCreated?.blobObject.size ?? 0) / symbols;
  return {
    path,
    put: () => putQuilt(url, files, undefined, '?permanent=true'),
    read: (name: string) => fetch(`${url}/v1/blobs/by-quilt-id/${quiltId}/${name}`),
    list: () => fetch(`${url}/v1/quilts/${quiltId}/patches`),
    isRead: async (name: string, response: Response) =>
      response.status === 200 && files[name]?.equals(Buffer.from(await response.arrayBuffer())) === true,
    /**
     * Position, in the quilt's file, of a byte of a patch. A patch starts with its header and fills its columns one
     * by one.
     */
    positionOf(name: string, byte: number): number {
      const start = answer.storedQuiltBlobs.find(({ identifier }) => identifier === name)?.range[0] ?? 0;
      const symbol = Math.floor(byte / symbolBytes);
      const column = start + Math.floor(symbol / 11);
      return ((symbol % 11) * columns + column) * symbolBytes + (byte % symbolBytes);
    },
  };
}

const damaged = { status: 500, reason: 'INTERNAL_ERROR' };

describe.each([
  ['small', 10_000],
  ['large', 400_000],
])('a flipped bit on disk in a %s quilt', (_name, fileBytes) => {
  test.each(['before the first read', 'after reads'])('is never served: %s', async (moment) => {
    const { path, read, list, isRead, positionOf } = await storedQuilt(fileBytes);
    if (moment === 'after reads') {
      expect(await isRead('n3', await read('n3'))).toBe(true);
      expect((await list()).status).toBe(200);
    }
    for (const byte of [0, 12, 2000, fileBytes - 1]) {
      await flipBit(path, positionOf('n3', byte));
      expect(await refusal(await read('n3'))).toEqual(damaged);
      await flipBit(path, positionOf('n3', byte));
    }
    expect(await isRead('n3', await read('n3'))).toBe(true);
  });

  test('is repaired by storing the files again', async () => {
    const { path, put, read, isRead, positionOf } = await storedQuilt(fileBytes);
    await flipBit(path, positionOf('n0', 100));
    expect((await read('n0')).status).toBe(500);
    await put();
    expect(await isRead('n0', await read('n0'))).toBe(true);
  });

  test('a truncated or missing file is an error and not a 404', async () => {
    const { path, read } = await storedQuilt(fileBytes);
    await copyFile(path, `${path}.copy`);
    await truncate(path, 1000);
    expect(await refusal(await read('n0'))).toEqual(damaged);
    await rename(path, `${path}.short`);
    expect(await refusal(await read('n0'))).toEqual({ status: 503, reason: 'BLOB_UNAVAILABLE' });
    await rename(`${path}.copy`, path);
    expect((await read('n0')).status).toBe(200);
  });
});

test('damage in one patch of a verified large quilt does not affect reads of the others', async () => {
  const { path, read, isRead, list, positionOf } = await storedQuilt(400_000);
  expect(await isRead('n5', await read('n5'))).toBe(true);
  await flipBit(path, positionOf('n3', 5000));
  expect(await refusal(await read('n3'))).toEqual(damaged);
  for (const name of ['n0', 'n2', 'n4', 'n5']) expect(await isRead(name, await read(name))).toBe(true);
  expect((await list()).status).toBe(200);
});

test('serves many concurrent first readers of a quilt', async () => {
  const { read, isRead } = await storedQuilt(400_000);
  const names = Array.from({ length: 60 }, (_, n) => `n${n % 6}`);
  const read60 = await Promise.all(names.map(async (name) => isRead(name, await read(name))));
  expect(read60).toEqual(names.map(() => true));
});

test('damage in a later piece of a patch cuts the response before a wrong byte', async () => {
  const dataDir = await temporaryDirectory();
  const { url } = await startStore({ dataDir });
  const content = randomBytes(5_000_000);
  const answer = await putQuilt(url, { large: content });
  const path = await fileOf(dataDir, quiltIdOf(answer));
  const patch = `${url}/v1/blobs/by-quilt-id/${quiltIdOf(answer)}/large`;
  expect(content.equals((await rawRead(patch)).bytes)).toBe(true);

  const { size } = await stat(path);
  // In one of the last columns of the last row.
  await flipBit(path, size - 1.5 * (size / symbols));
  const { status, bytes, complete } = await rawRead(patch);
  expect([status, complete]).toEqual([200, false]);
  expect(bytes.length).toBeGreaterThan(500_000);
  expect(content.subarray(0, bytes.length).equals(bytes)).toBe(true);
});
