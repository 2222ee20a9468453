import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { blobIdOf, put, putNew, refusal, startStore, temporaryDirectory } from './running-store.ts';

const epochDurationMs = 86_400_000;

/** A clock that the test moves. */
function movableClock(): { now: () => number; forward: (epochs: number) => void } {
  let time = 1_700_000_000_000;
  return {
    now: () => time,
    forward: (epochs) => {
      time += epochs * epochDurationMs;
    },
  };
}

test('a blob is gone at the start of its end epoch, not before', async () => {
  const { now, forward } = movableClock();
  const { url } = await startStore({ epochDurationMs, now });
  const blobId = await blobIdOf(url, 'short-lived', '?epochs=2');
  forward(1.99);
  expect((await fetch(`${url}/v1/blobs/${blobId}`)).status).toBe(200);
  forward(0.01);
  const gone = await fetch(`${url}/v1/blobs/${blobId}`);
  expect(await refusal(gone)).toEqual({ status: 404, reason: 'BLOB_NOT_FOUND' });
});

test('the last live object of a blob counts, even one that was extended', async () => {
  const { now, forward } = movableClock();
  const { url } = await startStore({ epochDurationMs, now });
  const blobId = await blobIdOf(url, 'x', '?epochs=1');
  await put(url, 'x', '?epochs=2&reuse_resources=true');
  await put(url, 'x', `?epochs=3&send_object_to=0x${'1'.repeat(64)}`);
  for (const status of [200, 200, 200, 404]) {
    expect((await fetch(`${url}/v1/blobs/${blobId}`)).status).toBe(status);
    forward(1);
  }
});

test('an expired permanent blob is stored again, in the epoch of that store', async () => {
  const { now, forward } = movableClock();
  const { url } = await startStore({ epochDurationMs, now });
  await put(url, 'again', '?permanent=true');
  forward(1);
  const { blobObject } = await putNew(url, 'again', '?permanent=true');
  expect(blobObject).toMatchObject({
    registeredEpoch: 2,
    certifiedEpoch: 2,
    storage: { startEpoch: 2, endEpoch: 3 },
  });
  expect((await fetch(`${url}/v1/blobs/${blobObject.blobId}`)).status).toBe(200);
});

test('a restart keeps the epochs; the bytes of expired blobs are removed', async () => {
  const dataDir = await temporaryDirectory();
  const { now, forward } = movableClock();
  const first = await startStore({ dataDir, epochDurationMs, now });
  const expired = await blobIdOf(first.url, 'expires', '?epochs=2');
  const kept = await blobIdOf(first.url, 'stays', '?epochs=3');
  await first.close();
  forward(2);
  const { url, admin } = await startStore({ dataDir, epochDurationMs, now });
  expect((await fetch(`${url}/v1/blobs/${expired}`)).status).toBe(404);
  expect((await fetch(`${url}/v1/blobs/${kept}`)).status).toBe(200);
  const files = async () => (await readdir(join(dataDir, 'objects'), { recursive: true })).join();
  expect(await admin.sweep()).toBe(1);
  expect(await files()).not.toContain(expired);
  expect(await files()).toContain(kept);
});

test('a clock that is set back revives nothing', async () => {
  const { now, forward } = movableClock();
  const { url } = await startStore({ epochDurationMs, now });
  const blobId = await blobIdOf(url, 'x');
  forward(1);
  expect((await fetch(`${url}/v1/blobs/${blobId}`)).status).toBe(404);
  forward(-1);
  expect((await fetch(`${url}/v1/blobs/${blobId}`)).status).toBe(404);
});

test('another epoch length continues from the current epoch', async () => {
  const dataDir = await temporaryDirectory();
  const { now, forward } = movableClock();
  const first = await startStore({ dataDir, epochDurationMs, now });
  const blobId = await blobIdOf(first.url, 'x', '?epochs=5');
  forward(2);
  await first.close();
  const { url } = await startStore({ dataDir, epochDurationMs: 10 * epochDurationMs, now });
  expect((await putNew(url, 'y')).blobObject.registeredEpoch).toBe(3);
  forward(29);
  expect((await fetch(`${url}/v1/blobs/${blobId}`)).status).toBe(200);
  forward(1);
  expect((await fetch(`${url}/v1/blobs/${blobId}`)).status).toBe(404);
});
