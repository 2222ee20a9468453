import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { urlOf } from './main-child.ts';
import { spawnMain } from './main-process.ts';
import { blobIdOf, put, refusal, startStore, temporaryDirectory } from './running-store.ts';

const limit = { status: 507, reason: 'STORE_LIMIT_REACHED' };

function limited(maxStoreBytes: number, dataDir?: string) {
  return startStore({ limits: { maxStoreBytes }, epochDurationMs: null, ...(dataDir && { dataDir }) });
}

function tryPut(url: string, body: Buffer<ArrayBuffer>, query = ''): Promise<Response> {
  return fetch(`${url}/v1/blobs${query}`, { method: 'PUT', body });
}

async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

test('--max-store-bytes rejects a blob that does not fit, keeps nothing of it and still serves the others', async () => {
  const dataDir = await temporaryDirectory();
  const store = await limited(100_000, dataDir);
  const kept = randomBytes(60_000);
  const blobId = await blobIdOf(store.url, kept);
  const refused = await tryPut(store.url, randomBytes(40_001));
  expect(await refusal(refused.clone())).toEqual(limit);
  expect((await refused.json()) as object).toHaveProperty(
    'error.message',
    'this store holds at most 100000 bytes of blobs (--max-store-bytes), and this blob does not fit',
  );
  expect(await filesIn(join(dataDir, 'incoming'))).toEqual([]);
  expect(await filesIn(join(dataDir, 'objects'))).toHaveLength(1);
  expect((await store.admin.listObjects()).items).toHaveLength(1);
  expect((await fetch(`${store.url}/v1/blobs/${blobId}`)).status).toBe(200);
  await put(store.url, randomBytes(40_000));
  expect(await refusal(await tryPut(store.url, randomBytes(1)))).toEqual(limit);
});

test('a full store still extends its existing blobs', async () => {
  const { url } = await limited(1000);
  const content = randomBytes(1000);
  await put(url, content);
  expect((await put(url, content, '?epochs=5')).newlyCreated?.blobObject.storage.endEpoch).toBe(6);
  expect(await put(url, content, '?reuse_resources=true')).toHaveProperty('alreadyCertified');
});

test('deleted and expired blobs free space, and a restart counts the blobs on disk', async () => {
  const dataDir = await temporaryDirectory();
  const first = await limited(1000, dataDir);
  await put(first.url, randomBytes(1000));
  await first.close();
  const store = await limited(1000, dataDir);
  expect(await refusal(await tryPut(store.url, randomBytes(1)))).toEqual(limit);
  await store.admin.advanceEpoch();
  await put(store.url, randomBytes(1000));
  expect(await refusal(await tryPut(store.url, randomBytes(1)))).toEqual(limit);
});

test('concurrent stores together do not exceed the limit', async () => {
  const dataDir = await temporaryDirectory();
  const { url } = await limited(30_000, dataDir);
  const answers = await Promise.all(Array.from({ length: 8 }, () => tryPut(url, randomBytes(10_000))));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 507, 507, 507, 507, 507]);
  expect(await filesIn(join(dataDir, 'objects'))).toHaveLength(3);
  expect(await filesIn(join(dataDir, 'incoming'))).toEqual([]);
});

test('the limit applies to quilts, which count once', async () => {
  const dataDir = await temporaryDirectory();
  const { url } = await limited(1_000_000, dataDir);
  const quilt = (bytes: number) => {
    const form = new FormData();
    form.append('a', new Blob([randomBytes(bytes)]));
    return fetch(`${url}/v1/quilts`, { method: 'PUT', body: form });
  };
  expect((await quilt(500_000)).status).toBe(200);
  expect(await refusal(await quilt(500_000))).toEqual(limit);
  expect(await filesIn(join(dataDir, 'incoming'))).toEqual([]);
  expect(await filesIn(join(dataDir, 'objects'))).toHaveLength(1);
});

test('the process accepts the limit as a flag and responds to a client that has not sent everything', async () => {
  const dataDir = await temporaryDirectory();
  const main = spawnMain([
    '--port',
    '0',
    '--shards',
    '31',
    '--data-dir',
    dataDir,
    '--max-store-bytes',
    '1000',
  ]);
  const url = await urlOf(main);
  const refused = await tryPut(url, randomBytes(5_000_000));
  expect(await refusal(refused)).toEqual(limit);
  await put(url, randomBytes(1000));
});
