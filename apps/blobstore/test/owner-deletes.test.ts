import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { chainWorld } from './chain-world.ts';
import { putNew } from './running-store.ts';
import { walrusClient } from './walrus-client.ts';

const { localnet, owner, startOnChain } = await chainWorld();

/** A store whose blobs belong to an owner, who deletes them in transactions that bypass the store. */
async function start() {
  const { url } = await startOnChain();
  const { walrus } = await walrusClient(localnet.url, url);
  const status = async (path: string) => (await fetch(`${url}/v1/${path}`)).status;
  async function store(body: Uint8Array, query = '') {
    const { blobObject } = await putNew(url, body, `?send_object_to=${owner.toSuiAddress()}${query}`);
    return blobObject;
  }
  const remove = (blobObjectId: string) =>
    walrus.executeDeleteBlobTransaction({ signer: owner, blobObjectId });
  return { url, status, store, remove };
}

test('responds 404 on every route to a read right after the owner deleted a blob', async () => {
  const { status, store, remove } = await start();
  for (let round = 0; round < 10; round++) {
    const { blobId, id } = await store(randomBytes(100));
    expect(await status(`blobs/${blobId}`)).toBe(200);
    expect(await status(`blobs/by-object-id/${id}`)).toBe(200);
    await remove(id);
    const paths = [
      `blobs/${blobId}`,
      `blobs/by-object-id/${id}`,
      `blobs/${blobId}/byte-range?start=0&length=1`,
      `quilts/${blobId}/patches`,
    ];
    expect(await Promise.all(paths.map(status))).toEqual([404, 404, 404, 404]);
  }
});

test('serves a blob as long as one of its objects is alive', async () => {
  const { status, store, remove } = await start();
  const body = randomBytes(100);
  const objects = [await store(body), await store(body), await store(body)];
  const blobs = `blobs/${objects[0]!.blobId}`;
  expect(await status(blobs)).toBe(200);
  for (const { id } of objects.slice(1)) {
    await remove(id);
    expect(await status(blobs)).toBe(200);
    expect(await status(`blobs/by-object-id/${id}`)).toBe(404);
  }
  const permanent = await store(body, '&permanent=true');
  await remove(objects[0]!.id);
  expect(await status(blobs)).toBe(200);
  expect(await status(`blobs/by-object-id/${permanent.id}`)).toBe(200);
  await expect(remove(permanent.id)).rejects.toThrow();
  expect(await status(blobs)).toBe(200);
});
