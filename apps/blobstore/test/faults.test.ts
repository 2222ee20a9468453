import { describe, expect, test } from 'vitest';
import { createFaults } from '../src/faults/faults.ts';
import { blobIdOf, put, refusal, startStore } from './running-store.ts';

const otherId = 'A'.repeat(43);

async function answerTo(url: string, blobId: string): Promise<number> {
  const response = await fetch(`${url}/v1/blobs/${blobId}`);
  await response.arrayBuffer();
  return response.status;
}

describe('reads', () => {
  test.each([
    ['BLOB_UNAVAILABLE', 503, 'BLOB_UNAVAILABLE'],
    ['TOO_MANY_REQUESTS', 429, 'TOO_MANY_REQUESTS'],
    ['INTERNAL_ERROR', 500, 'INTERNAL_ERROR'],
    ['CACHED_NOT_FOUND', 404, 'BLOB_NOT_FOUND'],
  ] as const)('fail with %s as often as requested, then succeed', async (fault, status, reason) => {
    const { url, admin } = await startStore();
    const blobId = await blobIdOf(url, 'x');
    admin.faults.add({ operation: 'read', fault, count: 2 });
    for (let round = 0; round < 2; round += 1) {
      expect(await refusal(await fetch(`${url}/v1/blobs/${blobId}`))).toEqual({ status, reason });
    }
    expect(await answerTo(url, blobId)).toBe(200);
    expect(admin.faults.list()).toEqual([]);
  });

  test('fail only with the faults of their blob, also by object id', async () => {
    const { url, admin } = await startStore();
    const { newlyCreated } = await put(url, 'x');
    const other = await blobIdOf(url, 'y');
    const { blobId = '', id } = newlyCreated?.blobObject ?? {};
    admin.faults.add({ operation: 'read', fault: 'BLOB_UNAVAILABLE', blobId });
    expect(await answerTo(url, other)).toBe(200);
    expect(await answerTo(url, blobId)).toBe(503);
    expect(await answerTo(url, `by-object-id/${id}`)).toBe(503);
    admin.faults.clear();
    expect(await answerTo(url, blobId)).toBe(200);
  });

  test('get a 404 with cache headers until its count is used up', async () => {
    const { url, admin } = await startStore();
    const blobId = await blobIdOf(url, 'x');
    admin.faults.add({ operation: 'read', fault: 'CACHED_NOT_FOUND', blobId, count: 1 });
    const cached = await fetch(`${url}/v1/blobs/${blobId}`);
    expect(cached.headers.get('x-cache')).toBe('HIT');
    expect(cached.headers.get('age')).toBe('1');
    const fresh = await fetch(`${url}/v1/blobs/${otherId}`);
    expect(fresh.headers.has('x-cache')).toBe(false);
    expect((await refusal(cached)).status).toBe(404);
    expect(await answerTo(url, blobId)).toBe(200);
  });

  test('get the right response after a delay', async () => {
    const { url, admin } = await startStore();
    const blobId = await blobIdOf(url, 'x');
    admin.faults.add({ operation: 'read', fault: 'SLOW', delayMs: 200, count: 1 });
    const startedAt = performance.now();
    expect(await answerTo(url, blobId)).toBe(200);
    expect(performance.now() - startedAt).toBeGreaterThan(190);
  });
});

describe('stores', () => {
  test.each([
    ['TOO_MANY_REQUESTS', 429, 'TOO_MANY_REQUESTS'],
    ['INTERNAL_ERROR', 500, 'INTERNAL_ERROR'],
    ['REGISTRY_UNAVAILABLE', 503, 'REGISTRY_UNAVAILABLE'],
    ['INSUFFICIENT_CONFIRMATIONS', 504, 'INSUFFICIENT_CONFIRMATIONS'],
  ] as const)('fail with %s', async (fault, status, reason) => {
    const { url, admin } = await startStore();
    admin.faults.add({ operation: 'store', fault, count: 1 });
    const response = await fetch(`${url}/v1/blobs`, { method: 'PUT', body: 'x' });
    expect(await refusal(response)).toEqual({ status, reason });
    const isRegistered = fault === 'INSUFFICIENT_CONFIRMATIONS';
    expect((await admin.listObjects()).items).toHaveLength(isRegistered ? 1 : 0);
    expect(await put(url, 'x')).toHaveProperty('newlyCreated');
  });

  test('are not affected by the faults of reads', async () => {
    const { url, admin } = await startStore();
    admin.faults.add({ operation: 'read', fault: 'INTERNAL_ERROR' });
    expect(await put(url, 'x')).toHaveProperty('newlyCreated');
  });
});

test('a fault ends after its time, and can be removed earlier', async () => {
  let time = 0;
  const faults = createFaults(() => time);
  const { id } = faults.add({ operation: 'read', fault: 'BLOB_UNAVAILABLE', durationMs: 1000 });
  faults.add({ operation: 'read', fault: 'INTERNAL_ERROR', blobId: otherId, durationMs: 5000 });
  time = 400;
  expect(faults.list()).toMatchObject([{ id, durationMs: 600 }, { durationMs: 4600 }]);
  await expect(faults.meetRead('B')).rejects.toMatchObject({ fields: { httpStatus: 503 } });
  time = 1000;
  await faults.meetRead('B');
  expect(faults.remove(id)).toBe(false);
  const [left] = faults.list();
  expect(faults.remove(left?.id ?? '')).toBe(true);
  await faults.meetRead(otherId);
});

test('several faults add up: every delay, and the first error', async () => {
  const faults = createFaults();
  faults.add({ operation: 'read', fault: 'SLOW', delayMs: 20, count: 1 });
  faults.add({ operation: 'read', fault: 'SLOW', delayMs: 20, count: 1 });
  faults.add({ operation: 'read', fault: 'TOO_MANY_REQUESTS', count: 1 });
  faults.add({ operation: 'read', fault: 'INTERNAL_ERROR', count: 1 });
  const startedAt = performance.now();
  await expect(faults.meetRead('B')).rejects.toMatchObject({ fields: { httpStatus: 429 } });
  expect(performance.now() - startedAt).toBeGreaterThan(38);
  expect(faults.list()).toEqual([]);
});

test('a close does not wait for delayed responses', async () => {
  const store = await startStore();
  const blobId = await blobIdOf(store.url, 'x');
  const { faults } = store.admin;
  faults.add({ operation: 'read', fault: 'SLOW', delayMs: 60_000, count: 1 });
  const reading = answerTo(store.url, blobId);
  await expect.poll(() => faults.list()).toEqual([]);
  await store.close();
  expect(await reading).toBe(200);
});

test('clearing the faults releases a store that is affected by one but has not started to wait', async () => {
  const faults = createFaults();
  faults.add({ operation: 'store', fault: 'SLOW', delayMs: 600_000 });
  const { beforeCertificate } = await faults.meetStore('a');
  faults.clear();
  await beforeCertificate();
});
