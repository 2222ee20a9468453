import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parsePrivateKey } from '@memrelay/chain/key-file';
import { coinWithBalance, Transaction } from '@mysten/sui/transactions';
import { expect, test } from 'vitest';
import type { BlobStore } from '../src/blob-store.ts';
import type { BlobStoreOptions } from '../src/config/blob-store-options.ts';
import { fetchChainInfo } from '../src/registry/chain/walrus-system.ts';
import { chainWorld } from './chain-world.ts';
import { patient, put, putNew, refusal, startStore, temporaryDirectory } from './running-store.ts';
import { type ChainWalrus, walrusClient } from './walrus-client.ts';

const encodedLength = 64_480;
const missing = `0x${'0'.repeat(64)}`;
const { localnet, owner, startOnChain: startStoreOnChain } = await chainWorld();

async function startOnChain(options: Partial<BlobStoreOptions> = {}): Promise<BlobStore & ChainWalrus> {
  const store = await startStoreOnChain(options);
  return { ...store, ...(await walrusClient(localnet.url, store.url)) };
}

/** A deletable blob that belongs to `owner`. */
async function putOwned(url: string, body: string, query = '') {
  const { blobObject } = await putNew(url, body, `?send_object_to=${owner.toSuiAddress()}${query}`);
  return blobObject;
}

function byObjectId(url: string, id: string | undefined): Promise<Response> {
  return fetch(`${url}/v1/blobs/by-object-id/${id}`);
}

async function leaveUncertified({ url, admin }: BlobStore, body: string, query: string): Promise<string> {
  admin.faults.add({ operation: 'store', fault: 'INSUFFICIENT_CONFIRMATIONS', count: 1 });
  const before = new Set((await admin.listObjects()).items.map(({ object }) => object.id));
  const response = await fetch(`${url}/v1/blobs${query}`, { method: 'PUT', body });
  expect(await refusal(response)).toEqual({ status: 504, reason: 'INSUFFICIENT_CONFIRMATIONS' });
  const left = (await admin.listObjects()).items.filter(({ object }) => !before.has(object.id));
  expect(left).toMatchObject([{ owned: true, object: { certifiedEpoch: null } }]);
  return left[0]!.object.id;
}

test('attributes written by an owner are returned by the next read by object id', async () => {
  const { url, walrus, sui } = await startOnChain();
  const { id: blobObjectId } = await putOwned(url, 'mine');
  expect((await byObjectId(url, blobObjectId)).headers.get('content-type')).toBeNull();
  // The first attributes of a blob are written without reading existing ones.
  const transaction = new Transaction();
  const first = { blobObject: transaction.object(blobObjectId), attributes: { 'content-type': 'text/x-a' } };
  transaction.add(walrus.writeBlobAttributes(first));
  await sui.core.signAndExecuteTransaction({ transaction, signer: owner });
  expect((await byObjectId(url, blobObjectId)).headers.get('content-type')).toBe('text/x-a');
  const changes = { 'content-type': null, link: '</x>', 'x-unknown': '1' };
  await walrus.executeWriteBlobAttributesTransaction({ signer: owner, blobObjectId, attributes: changes });
  const { headers } = await byObjectId(url, blobObjectId);
  expect(['content-type', 'link', 'x-unknown'].map((name) => headers.get(name))).toEqual([
    null,
    '</x>',
    null,
  ]);
});

test('the publisher writes, changes and removes attributes only of its own objects', async () => {
  const { url, admin, walrus } = await startOnChain();
  const { blobObject } = await putNew(url, 'with attributes');
  const blobObjectId = blobObject.id;
  expect(await admin.setAttributes(blobObjectId, { 'content-type': 'text/x-a', other: '1' })).toEqual({
    'content-type': 'text/x-a',
    other: '1',
  });
  expect(await walrus.readBlobAttributes({ blobObjectId })).toEqual({
    'content-type': 'text/x-a',
    other: '1',
  });
  expect((await byObjectId(url, blobObjectId)).headers.get('content-type')).toBe('text/x-a');
  const changed = await admin.setAttributes(blobObjectId, { other: null, missing: null, link: '</x>' });
  expect(changed).toEqual({ 'content-type': 'text/x-a', link: '</x>' });
  expect(await walrus.readBlobAttributes({ blobObjectId })).toEqual(changed);
  expect((await admin.listObjects({ blobId: blobObject.blobId })).items).toMatchObject([
    { attributes: changed },
  ]);

  const foreign = await putOwned(url, 'not mine');
  await expect(admin.setAttributes(foreign.id, { a: 'b' })).rejects.toMatchObject({ reason: 'not-owned' });
  await expect(admin.setAttributes(missing, { a: 'b' })).rejects.toMatchObject({ reason: 'not-found' });
});

test('reads reflect an extension by the owner, and end within seconds after a deletion', async () => {
  const { url, walrus } = await startOnChain();
  const { id, blobId } = await putOwned(url, 'to be extended');
  await walrus.executeExtendBlobTransaction({ signer: owner, blobObjectId: id, epochs: 1 });
  await localnet.advanceEpoch(1);
  expect(await (await fetch(`${url}/v1/blobs/${blobId}`)).text()).toBe('to be extended');
  await walrus.executeDeleteBlobTransaction({ signer: owner, blobObjectId: id });
  const deletedAtMs = performance.now();
  const read = async () => (await fetch(`${url}/v1/blobs/${blobId}`)).status;
  await expect.poll(read, patient).toBe(404);
  // A response may be up to one second old, and half a second more while the chain is slow.
  expect(performance.now() - deletedAtMs).toBeLessThan(5000);
  expect((await byObjectId(url, id)).status).toBe(404);
});

test('share=true leaves a shared object on chain, whose id can be used to read the blob', async () => {
  const { url, admin, sui } = await startOnChain();
  for (const query of ['?share=true', '?share=true&permanent=true']) {
    const { blobObject, sharedBlobObject } = await putNew(url, `shared ${query}`, query);
    const { object } = await sui.core.getObject({ objectId: sharedBlobObject! });
    expect(object).toMatchObject({ type: expect.stringMatching(/::shared_blob::SharedBlob$/) });
    expect(object.owner.$kind).toBe('Shared');
    expect(await (await byObjectId(url, sharedBlobObject)).text()).toBe(`shared ${query}`);
    expect((await admin.listObjects({ blobId: blobObject.blobId })).items).toMatchObject([
      {
        owned: false,
        burnt: false,
        sharedBlobObject,
        object: { id: blobObject.id, storage: blobObject.storage },
      },
    ]);
  }
});

test('a shared blob stays readable and can be found after anyone extends it', async () => {
  const { url, admin, sui } = await startOnChain();
  const { blobObject, sharedBlobObject } = await putNew(url, 'kept alive', '?share=true&epochs=1');
  const { walrus } = await fetchChainInfo(localnet.url);
  const transaction = new Transaction();
  const shared = transaction.object(sharedBlobObject!);
  const funds = coinWithBalance({ type: walrus.walType, balance: 1_000_000n });
  transaction.moveCall({ target: `${walrus.packageId}::shared_blob::fund`, arguments: [shared, funds] });
  transaction.moveCall({
    target: `${walrus.packageId}::shared_blob::extend`,
    arguments: [shared, transaction.object(walrus.systemObjectId), transaction.pure.u32(2)],
  });
  const result = await sui.core.signAndExecuteTransaction({ transaction, signer: owner });
  expect(result.$kind).toBe('Transaction');
  await localnet.advanceEpoch(1);
  expect(await (await fetch(`${url}/v1/blobs/${blobObject.blobId}`)).text()).toBe('kept alive');
  const { storage } = blobObject;
  expect((await admin.listObjects({ blobId: blobObject.blobId })).items).toMatchObject([
    { burnt: false, sharedBlobObject, object: { storage: { endEpoch: storage.endEpoch + 2 } } },
  ]);
});

test('burning after the store deletes the object, and the blob can be read until it expires', async () => {
  const { url, admin, sui } = await startOnChain({ burnAfterStore: true });
  for (const query of ['?epochs=1', '?epochs=1&permanent=true']) {
    const { blobObject } = await putNew(url, `burnt ${query}`, query);
    expect(blobObject.storage.id).toMatch(/^0x(?!0{64})/);
    await expect(sui.core.getObject({ objectId: blobObject.id })).rejects.toThrow(/not found/);
    expect((await byObjectId(url, blobObject.id)).status).toBe(404);
    expect(await (await fetch(`${url}/v1/blobs/${blobObject.blobId}`)).text()).toBe(`burnt ${query}`);
    expect((await admin.listObjects({ blobId: blobObject.blobId })).items).toMatchObject([
      { burnt: true, owned: false, object: { id: blobObject.id, size: blobObject.size } },
    ]);
    await expect(admin.deleteObject(blobObject.id)).rejects.toMatchObject({ reason: 'not-found' });
  }
  await localnet.advanceEpoch(1);
  await expect
    .poll(async () => (await admin.listObjects()).items.filter(({ burnt }) => burnt), patient)
    .toEqual([]);
});

test.each([
  ['deletable', ''],
  ['permanent', '&permanent=true'],
])('an uncertified registration is resumed, even after a restart (%s)', async (_name, persistence) => {
  const dataDir = await temporaryDirectory();
  const chain = await localnet.chainOptions();
  const first = await startStore({ dataDir, chain });
  const resumable = await leaveUncertified(first, `resumable${persistence}`, `?epochs=3${persistence}`);
  const short = await leaveUncertified(first, `short${persistence}`, `?epochs=1${persistence}`);
  await first.close();
  const { url } = await startStore({ dataDir, chain });
  const reuse = `?epochs=3&reuse_resources=true${persistence}`;
  expect(await putNew(url, `resumable${persistence}`, reuse)).toMatchObject({
    blobObject: { id: resumable, certifiedEpoch: expect.any(Number) },
    resourceOperation: { reuseRegistration: { encodedLength } },
    cost: 0,
  });
  const extended = await putNew(url, `short${persistence}`, `${reuse}&share=true`);
  expect(extended).toMatchObject({
    blobObject: { id: short },
    resourceOperation: { reuseAndExtendNonCertified: { encodedLength, epochsExtended: 2 } },
    cost: 200_000,
    sharedBlobObject: expect.stringMatching(/^0x/),
  });
  const { blobId } = extended.blobObject;
  expect(await (await fetch(`${url}/v1/blobs/${blobId}`)).text()).toBe(`short${persistence}`);
});

test('a registration whose response was lost is resumed by the publisher as well', async () => {
  const chain = await localnet.chainOptions();
  const { url, walrus } = await startOnChain({ chain });
  const signer = parsePrivateKey(chain.walletKey);
  const bytes = Buffer.from('lost');
  const { blobId, rootHash } = await walrus.computeBlobMetadata({ bytes });
  const { blob } = await walrus.executeRegisterBlobTransaction({
    signer,
    blobId,
    rootHash,
    size: bytes.length,
    epochs: 3,
    deletable: true,
    owner: signer.toSuiAddress(),
  });
  expect(await putNew(url, 'lost', '?epochs=3&reuse_resources=true')).toMatchObject({
    blobObject: { id: blob.id },
    resourceOperation: { reuseRegistration: { encodedLength } },
  });
  const foreign = await walrus.executeRegisterBlobTransaction({
    signer: owner,
    blobId,
    rootHash,
    size: bytes.length,
    epochs: 9,
    deletable: true,
    owner: owner.toSuiAddress(),
  });
  const created = await putNew(url, 'lost', '?epochs=9&reuse_resources=true&force=true');
  expect(created.blobObject.id).not.toBe(foreign.blob.id);
});

test('pays only once for stores across epoch changes', async () => {
  const { url, admin } = await startOnChain();
  let isTurning = true;
  const stored: Awaited<ReturnType<typeof putNew>>[] = [];
  async function storeOn(name: string): Promise<void> {
    for (let count = 0; isTurning; count++) stored.push(await putNew(url, `${name} ${count}`, '?epochs=9'));
  }
  const stores = Array.from({ length: 6 }, (_, index) => storeOn(`turning ${index}`));
  for (let turn = 0; turn < 5; turn++) {
    const before = stored.length;
    await expect.poll(() => stored.length, patient).toBeGreaterThan(before);
    await localnet.advanceEpoch(1);
  }
  isTurning = false;
  await Promise.all(stores);
  for (const { blobObject } of stored) {
    const { objects } = await admin.getBlob(blobObject.blobId);
    expect(objects).toMatchObject([
      { object: { id: blobObject.id, certifiedEpoch: blobObject.certifiedEpoch } },
    ]);
  }
});

test('storage of a deleted blob is reused by one of many concurrent stores, and the others pay', async () => {
  const { url, admin } = await startOnChain();
  const { blobObject } = await putNew(url, 'deleted', '?epochs=5');
  await admin.deleteObject(blobObject.id);
  expect((await fetch(`${url}/v1/blobs/${blobObject.blobId}`)).status).toBe(404);
  const bodies = Array.from({ length: 8 }, (_, index) => `spare ${index}`);
  const stored = await Promise.all(bodies.map((body) => putNew(url, body, '?reuse_resources=true')));
  const reused = stored.filter(({ cost }) => cost === 20_000);
  expect(reused).toMatchObject([
    { blobObject: { storage: blobObject.storage }, resourceOperation: { reuseStorage: { encodedLength } } },
  ]);
  expect(new Set(stored.map(({ blobObject: { storage } }) => storage.id)).size).toBe(8);
});

test('a forbidden deletion or extension is rejected with the reason', async () => {
  const { url, admin } = await startOnChain();
  const permanent = await putNew(url, 'permanent', '?permanent=true&epochs=53');
  await expect(admin.deleteObject(permanent.blobObject.id)).rejects.toMatchObject({ reason: 'permanent' });
  await expect(admin.extendObject(permanent.blobObject.id, 1)).rejects.toMatchObject({ reason: 'too-long' });
  const foreign = await putOwned(url, 'foreign');
  await expect(admin.deleteObject(foreign.id)).rejects.toMatchObject({ reason: 'not-owned' });
  await expect(admin.deleteObject(missing)).rejects.toMatchObject({ reason: 'not-found' });
  await expect(admin.advanceEpoch()).rejects.toMatchObject({ reason: 'not-offered' });
});

test('objects and blobs of any owner are listed page by page', async () => {
  const { url, admin } = await startOnChain();
  const { blobObject } = await putNew(url, 'listed');
  const foreign = await putOwned(url, 'listed');
  const other = await putNew(url, 'listed as well');
  const known = [blobObject.id, foreign.id, other.blobObject.id].sort();
  const ids: string[] = [];
  const blobIds: string[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page = await admin.listObjects({ after, limit: 2 });
    ids.push(...page.items.map(({ object }) => object.id));
    after = page.cursor;
  }
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page = await admin.listBlobs({ after, limit: 2 });
    blobIds.push(...page.items.map(({ blobId }) => blobId));
    after = page.cursor;
  }
  expect(ids).toEqual([...new Set(ids)].sort());
  expect(ids).toEqual(expect.arrayContaining(known));
  expect(blobIds).toEqual(expect.arrayContaining([blobObject.blobId, other.blobObject.blobId]));
  const { objects } = await admin.getBlob(blobObject.blobId);
  expect(objects.map(({ object, owned }) => [object.id, owned]).sort()).toEqual(
    [
      [blobObject.id, true],
      [foreign.id, false],
    ].sort(),
  );
});

test("data of a deleted blob is removed at the end of the epoch, and the certificate's event resolves", async () => {
  const { url, admin, sui } = await startOnChain();
  const { blobObject } = await putNew(url, 'to be swept', '?epochs=5');
  const { items } = await admin.listObjects({ blobId: blobObject.blobId });
  const { txDigest, eventSeq } = items[0]!.event;
  const result = await sui.core.getTransaction({ digest: txDigest, include: { events: true } });
  expect(result.Transaction!.events[Number(eventSeq)]!.eventType).toMatch(/::events::BlobCertified$/);
  await admin.deleteObject(blobObject.id);
  expect(await admin.sweep()).toBe(0);
  await localnet.advanceEpoch(1);
  await expect.poll(() => admin.sweep(), patient).toBe(1);
  expect(await put(url, 'to be swept')).toHaveProperty('newlyCreated');
});

test('removes data of a blob deleted by its owner as soon as the store sees the deletion, if enabled', async () => {
  const dataDir = await temporaryDirectory();
  const { url, walrus } = await startOnChain({ dataDir, deletesDataAtOnce: true });
  const { id, blobId } = await putOwned(url, 'gone at once');
  const files = async () => (await readdir(join(dataDir, 'objects'), { recursive: true })).join();
  expect(await files()).toContain(blobId);
  await walrus.executeDeleteBlobTransaction({ signer: owner, blobObjectId: id });
  const read = async () => (await fetch(`${url}/v1/blobs/${blobId}`)).status;
  await expect.poll(read, patient).toBe(404);
  await expect.poll(files, patient).not.toContain(blobId);
});
