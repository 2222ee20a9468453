import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { patient, putNew, refusal, startStore, temporaryDirectory } from './running-store.ts';

const mebibyte = 1024 * 1024;

function streamed(chunk: Uint8Array, count: number): ReadableStream {
  return Readable.toWeb(Readable.from(Array.from({ length: count }, () => chunk))) as ReadableStream;
}

test('ten mebibytes are stored and read, whole and in parts', async () => {
  const { url } = await startStore();
  const body = randomBytes(10 * mebibyte);
  const { blobObject } = await putNew(url, body);
  const whole = await fetch(`${url}/v1/blobs/${blobObject.blobId}`);
  expect(body.equals(Buffer.from(await whole.arrayBuffer()))).toBe(true);
  const part = await fetch(`${url}/v1/blobs/${blobObject.blobId}`, {
    headers: { range: 'bytes=5000000-9999999' },
  });
  expect(body.subarray(5_000_000, 10_000_000).equals(Buffer.from(await part.arrayBuffer()))).toBe(true);
});

test('a body in chunks of unknown length is stored', async () => {
  const { url } = await startStore();
  const init = { method: 'PUT', body: streamed(randomBytes(64 * 1024), 64), duplex: 'half' } as const;
  const response = await fetch(`${url}/v1/blobs`, init);
  expect(response.status).toBe(200);
  expect(await response.json()).toHaveProperty('newlyCreated.blobObject.size', 4 * mebibyte);
});

test('one byte above the limit is rejected, announced or not, and leaves nothing behind', async () => {
  const dataDir = await temporaryDirectory();
  const { url } = await startStore({ dataDir, limits: { maxBodyBytes: 1000 } });
  expect((await fetch(`${url}/v1/blobs`, { method: 'PUT', body: randomBytes(1000) })).status).toBe(200);
  const announced = await fetch(`${url}/v1/blobs`, { method: 'PUT', body: randomBytes(1001) });
  expect(await refusal(announced)).toEqual({ status: 413, reason: 'PAYLOAD_TOO_LARGE' });
  const init = { method: 'PUT', body: streamed(randomBytes(143), 7), duplex: 'half' } as const;
  const unannounced = await fetch(`${url}/v1/blobs`, init);
  expect(await refusal(unannounced)).toEqual({ status: 413, reason: 'PAYLOAD_TOO_LARGE' });
  expect(await readdir(join(dataDir, 'incoming'))).toEqual([]);
});

test('lowers a limit above the maximum blob size of the shards', async () => {
  const { url } = await startStore({ nShards: 10, limits: { maxBodyBytes: 100 * mebibyte } });
  const response = await fetch(`${url}/v1/blobs`, { method: 'PUT', body: Buffer.alloc(2 * mebibyte) });
  expect(await refusal(response)).toEqual({ status: 413, reason: 'PAYLOAD_TOO_LARGE' });
});

test('an aborted body leaves nothing behind, and frees its place', async () => {
  const dataDir = await temporaryDirectory();
  const { url } = await startStore({ dataDir, limits: { publisher: { concurrent: 1, buffered: 1 } } });
  const upload = request(`${url}/v1/blobs`, { method: 'PUT', headers: { 'content-length': 1000 } });
  upload.on('error', () => undefined);
  upload.write('only a part');
  await expect.poll(() => readdir(join(dataDir, 'incoming')), patient).toHaveLength(1);
  upload.destroy();
  await expect.poll(() => readdir(join(dataDir, 'incoming')), patient).toEqual([]);
  await expect
    .poll(async () => (await fetch(`${url}/v1/blobs`, { method: 'PUT', body: 'x' })).status, patient)
    .toBe(200);
});
