import { expect, test } from 'vitest';
import { put, putNew, startStore, temporaryDirectory } from './running-store.ts';

const objectId = /^0x[0-9a-f]{64}$/;
const recipient = `0x${'ab'.repeat(32)}`;

test('share=true creates a shared object, whose id also reads the blob', async () => {
  const { url, admin } = await startStore();
  const created = await putNew(url, 'shared', '?share=true&permanent=true');
  expect(Object.keys(created)).toEqual(['blobObject', 'resourceOperation', 'cost', 'sharedBlobObject']);
  expect(created.sharedBlobObject).toMatch(objectId);
  expect(created.sharedBlobObject).not.toBe(created.blobObject.id);
  const read = (id = '') => fetch(`${url}/v1/blobs/by-object-id/${id}`);
  expect(await (await read(created.sharedBlobObject)).text()).toBe('shared');
  expect(await (await read(created.blobObject.id)).text()).toBe('shared');
  expect((await admin.listObjects()).items).toMatchObject([{ owned: false }]);
  expect(await put(url, 'shared', '?permanent=true')).toHaveProperty('alreadyCertified.event');
});

test('a shared object is never reused, and is found again after a restart', async () => {
  const dataDir = await temporaryDirectory();
  const first = await startStore({ dataDir });
  const created = await putNew(first.url, 'x', '?share=true&epochs=5');
  await first.close();
  const { url, admin } = await startStore({ dataDir });
  const response = await fetch(`${url}/v1/blobs/by-object-id/${created.sharedBlobObject}`);
  expect(response.status).toBe(200);
  await expect(admin.deleteObject(created.blobObject.id)).rejects.toMatchObject({ reason: 'not-owned' });
  const again = await putNew(url, 'x', '?reuse_resources=true');
  expect(again.resourceOperation).toHaveProperty('registerFromScratch');
  expect(again).not.toHaveProperty('sharedBlobObject');
});

test('its own object can be extended and shared in one store', async () => {
  const { url } = await startStore();
  const { blobObject } = await putNew(url, 'x', '?epochs=1');
  const extended = await putNew(url, 'x', '?epochs=2&reuse_resources=true&share=true');
  expect(extended.blobObject.id).toBe(blobObject.id);
  expect(extended.sharedBlobObject).toMatch(objectId);
});

test('burning after the store deletes the object, and the blob can be read until its end', async () => {
  const { url, admin } = await startStore({ burnAfterStore: true });
  const { blobObject } = await putNew(url, 'burnt', '?permanent=true&epochs=2');
  const read = () => fetch(`${url}/v1/blobs/${blobObject.blobId}`);
  expect((await fetch(`${url}/v1/blobs/by-object-id/${blobObject.id}`)).status).toBe(404);
  expect(await (await read()).text()).toBe('burnt');
  expect(await put(url, 'burnt', '?permanent=true&epochs=2')).toHaveProperty('alreadyCertified.event');
  await expect(admin.setAttributes(blobObject.id, { a: 'b' })).rejects.toMatchObject({ reason: 'not-found' });
  await admin.advanceEpoch(2);
  expect((await read()).status).toBe(404);
});

test('a burnt object cannot be reused, extended or deleted', async () => {
  const { url, admin } = await startStore({ burnAfterStore: true });
  const { blobObject } = await putNew(url, 'x', '?epochs=1');
  const again = await putNew(url, 'x', '?epochs=2&reuse_resources=true');
  expect(again.resourceOperation).toHaveProperty('registerFromScratch');
  await expect(admin.extendObject(blobObject.id, 1)).rejects.toMatchObject({ reason: 'not-found' });
  await expect(admin.deleteObject(blobObject.id)).rejects.toMatchObject({ reason: 'not-found' });
  const { deleted, kept } = await admin.deleteBlob(blobObject.blobId);
  expect(deleted).toEqual([]);
  expect(kept).toHaveLength(2);
});

test('a receiver or sharing takes precedence over burning', async () => {
  const { url, admin } = await startStore({ burnAfterStore: true });
  const sent = await putNew(url, 'sent', `?send_object_to=${recipient}`);
  const shared = await putNew(url, 'shared', '?share=true');
  const records = (await admin.listObjects()).items;
  expect(records.map(({ object, burnt }) => [object.id, burnt]).sort()).toEqual(
    [
      [sent.blobObject.id, false],
      [shared.blobObject.id, false],
    ].sort(),
  );
});
