import { describe, expect, test } from 'vitest';
import type { BlobStore } from '../src/blob-store.ts';
import { put, putNew, refusal, startStore, temporaryDirectory } from './running-store.ts';

const encodedLength = 64_480;
const recipient = `0x${'ab'.repeat(32)}`;

/** Makes a store that is interrupted between registration and certificate. Returns the blob id. */
async function leaveUncertified({ url, admin }: BlobStore, body: string, query: string): Promise<string> {
  admin.faults.add({ operation: 'store', fault: 'INSUFFICIENT_CONFIRMATIONS', count: 1 });
  const response = await fetch(`${url}/v1/blobs${query}`, { method: 'PUT', body });
  expect(await refusal(response)).toEqual({ status: 504, reason: 'INSUFFICIENT_CONFIRMATIONS' });
  const { items } = await admin.listObjects();
  return items.at(-1)?.object.blobId ?? '';
}

async function readStatus({ url }: BlobStore, blobId: string): Promise<{ status: number; reason: unknown }> {
  return refusal(await fetch(`${url}/v1/blobs/${blobId}`));
}

describe('an uncertified registration', () => {
  test('is not readable yet, but not a 404; it counts in the status, and expires like any other', async () => {
    const store = await startStore();
    const blobId = await leaveUncertified(store, 'x', '?epochs=2');
    expect(await readStatus(store, blobId)).toEqual({ status: 503, reason: 'BLOB_UNAVAILABLE' });
    expect((await store.admin.getBlob(blobId)).status).toEqual({
      deletable: {
        initialCertifiedEpoch: null,
        deletableCounts: { count_deletable_total: 1, count_deletable_certified: 0 },
      },
    });
    const [object] = (await store.admin.getBlob(blobId)).objects;
    const byObject = await fetch(`${store.url}/v1/blobs/by-object-id/${object?.object.id}`);
    expect(byObject.status).toBe(404);
    await store.admin.advanceEpoch(2);
    expect(await readStatus(store, blobId)).toEqual({ status: 404, reason: 'BLOB_NOT_FOUND' });
  });

  test('is resumed at no cost, as the same object', async () => {
    const store = await startStore();
    const blobId = await leaveUncertified(store, 'x', '?epochs=5');
    const [left] = (await store.admin.getBlob(blobId)).objects;
    const { newlyCreated } = await put(store.url, 'x', '?epochs=3&reuse_resources=true');
    expect(newlyCreated).toMatchObject({
      blobObject: { id: left?.object.id, certifiedEpoch: 1, storage: { endEpoch: 6 } },
      resourceOperation: { reuseRegistration: { encodedLength } },
      cost: 0,
    });
    expect(await (await fetch(`${store.url}/v1/blobs/${blobId}`)).text()).toBe('x');
  });

  test('is extended by the missing epochs if it expires too early', async () => {
    const store = await startStore();
    await leaveUncertified(store, 'x', '?epochs=2&permanent=true');
    const query = `?epochs=5&permanent=true&reuse_resources=true&send_object_to=${recipient}`;
    const resumed = await putNew(store.url, 'x', query);
    expect(resumed.blobObject.storage.endEpoch).toBe(6);
    const operation = { reuseAndExtendNonCertified: { encodedLength, epochsExtended: 3 } };
    expect(resumed.resourceOperation).toEqual(operation);
    expect(resumed.cost).toBe(300_000);
    expect((await store.admin.listObjects()).items).toMatchObject([{ owned: false }]);
  });

  test.each(['', '?permanent=true&reuse_resources=true', '?force=true'])(
    'is kept next to a new one for a store with "%s"',
    async (query) => {
      const store = await startStore();
      await leaveUncertified(store, 'x', '?epochs=2');
      const created = await putNew(store.url, 'x', query);
      expect(created.resourceOperation).toHaveProperty('registerFromScratch');
      expect((await store.admin.listObjects()).items).toHaveLength(2);
    },
  );

  test('is also resumed with force, despite a certified object', async () => {
    const { url, admin } = await startStore();
    await put(url, 'x', '?epochs=5');
    await leaveUncertified({ url, admin } as BlobStore, 'x', '?epochs=5');
    const forced = await putNew(url, 'x', '?epochs=5&reuse_resources=true&force=true');
    expect(forced.resourceOperation).toEqual({ reuseRegistration: { encodedLength } });
    expect(await put(url, 'x', '?epochs=5&reuse_resources=true')).toHaveProperty('alreadyCertified.object');
  });

  test('survives a restart, and is resumed after it', async () => {
    const dataDir = await temporaryDirectory();
    const first = await startStore({ dataDir });
    const blobId = await leaveUncertified(first, 'x', '?epochs=5');
    await first.close();
    const store = await startStore({ dataDir });
    expect(await readStatus(store, blobId)).toEqual({ status: 503, reason: 'BLOB_UNAVAILABLE' });
    const resumed = await putNew(store.url, 'x', '?epochs=5&reuse_resources=true');
    expect(resumed.resourceOperation).toEqual({ reuseRegistration: { encodedLength } });
  });

  test('frees its storage for another blob when it is deleted', async () => {
    const store = await startStore();
    const blobId = await leaveUncertified(store, 'x', '?epochs=5');
    await store.admin.deleteBlob(blobId);
    expect(await readStatus(store, blobId)).toEqual({ status: 404, reason: 'BLOB_NOT_FOUND' });
    const { resourceOperation } = await putNew(store.url, 'y', '?reuse_resources=true');
    expect(resourceOperation).toEqual({ reuseStorage: { encodedLength } });
  });
});

describe('storage of a deleted blob', () => {
  test('is reused by a later store for the write fee only', async () => {
    const { url, admin } = await startStore();
    const { blobObject } = await putNew(url, 'deleted', '?epochs=5');
    await admin.deleteObject(blobObject.id);
    const reused = await putNew(url, 'other', '?epochs=3&permanent=true&reuse_resources=true');
    expect(reused).toMatchObject({
      blobObject: { deletable: false, storage: blobObject.storage },
      resourceOperation: { reuseStorage: { encodedLength } },
      cost: 20_000,
    });
    const again = await putNew(url, 'third', '?epochs=3&reuse_resources=true');
    expect(again.resourceOperation).toHaveProperty('registerFromScratch');
  });

  test.each([
    ['it is too short', '?epochs=2', '?epochs=3&reuse_resources=true'],
    ['reuse is not requested', '?epochs=5', '?epochs=1'],
    [
      'it belongs to another owner',
      `?epochs=5&send_object_to=${recipient}`,
      '?epochs=1&reuse_resources=true',
    ],
  ])('is not reused if %s', async (_name, before, after) => {
    const { url, admin } = await startStore();
    const { blobObject } = await putNew(url, 'deleted', before);
    await admin.deleteObject(blobObject.id);
    expect((await putNew(url, 'other', after)).resourceOperation).toHaveProperty('registerFromScratch');
  });

  test('expires with its epochs, and survives a restart until then', async () => {
    const dataDir = await temporaryDirectory();
    const first = await startStore({ dataDir });
    for (const body of ['a', 'b']) {
      const { blobObject } = await putNew(first.url, body, '?epochs=5');
      await first.admin.deleteObject(blobObject.id);
    }
    await first.close();
    const { url, admin } = await startStore({ dataDir });
    await admin.advanceEpoch(2);
    const reused = await putNew(url, 'other', '?epochs=3&reuse_resources=true');
    expect(reused.blobObject.storage).toMatchObject({ startEpoch: 1, endEpoch: 6 });
    expect(reused.resourceOperation).toEqual({ reuseStorage: { encodedLength } });
    await admin.advanceEpoch(3);
    const late = await putNew(url, 'late', '?epochs=1&reuse_resources=true');
    expect(late.resourceOperation).toHaveProperty('registerFromScratch');
  });

  test('is reused by one of twenty concurrent stores, and the others pay', async () => {
    const { url, admin } = await startStore({ limits: { publisher: { concurrent: 20, buffered: 20 } } });
    const { blobObject } = await putNew(url, 'deleted', '?epochs=5');
    await admin.deleteObject(blobObject.id);
    const bodies = Array.from({ length: 20 }, (_, index) => `body ${index}`);
    const stored = await Promise.all(bodies.map((body) => putNew(url, body, '?reuse_resources=true')));
    const reused = stored.filter(({ cost }) => cost === 20_000);
    expect(reused).toHaveLength(1);
    expect(new Set(stored.map(({ blobObject: { storage } }) => storage.id)).size).toBe(20);
  });
});
