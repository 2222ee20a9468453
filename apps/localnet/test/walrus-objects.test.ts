import { blobMetadataBcs, sharedBlobBcs, storageBcs, walrusEventBcs } from '@memrelay/chain/walrus-bcs';
import { storageCost } from '@memrelay/chain/walrus-sizes';
import { bcs } from '@mysten/sui/bcs';
import type { Transaction } from '@mysten/sui/transactions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { created, fundedKey, send } from './chain-world.ts';
import { aborts, encodedSize, prices, size, startWalrus, type WalrusWorld } from './walrus-world.ts';

let walrus: WalrusWorld;
beforeAll(async () => {
  walrus = await startWalrus();
});
afterAll(() => walrus.world.close());

const metadataField = { type: 'vector<u8>', bcs: bcs.string().serialize('metadata').toBytes() };

async function attributesOf(blobObject: string) {
  const { dynamicField } = await walrus.world.client.getDynamicField({
    parentId: blobObject,
    name: metadataField,
  });
  return blobMetadataBcs.parse(dynamicField.value.bcs).metadata.contents;
}

async function readStorage(objectId: string) {
  const { object } = await walrus.world.client.getObject({ objectId, include: { content: true } });
  return storageBcs.parse(object.content!);
}

/** Calls a function of the module `blob` on a blob object. */
function onBlob(tx: Transaction, id: string, name: string, ...args: Parameters<WalrusWorld['call']>[2]) {
  return walrus.call(tx, `blob::${name}`, [tx.object(id), ...args]);
}

test('attributes are written, changed, replaced and removed, and are deleted with the blob', async () => {
  const { blob } = await walrus.registered();
  await walrus.run((tx) => {
    onBlob(tx, blob.id, 'add_metadata', walrus.call(tx, 'metadata::new', []));
    onBlob(tx, blob.id, 'insert_or_update_metadata_pair', tx.pure.string('a'), tx.pure.string('1'));
    onBlob(tx, blob.id, 'insert_or_update_metadata_pair', tx.pure.string('b'), tx.pure.string('2'));
    onBlob(tx, blob.id, 'insert_or_update_metadata_pair', tx.pure.string('a'), tx.pure.string('3'));
    onBlob(tx, blob.id, 'remove_metadata_pair', tx.pure.string('b'));
    onBlob(tx, blob.id, 'remove_metadata_pair_if_exists', tx.pure.string('b'));
  });
  expect(await attributesOf(blob.id)).toEqual([{ key: 'a', value: '3' }]);
  const { dynamicFields } = await walrus.world.client.listDynamicFields({ parentId: blob.id });
  expect(dynamicFields).toMatchObject([
    { name: metadataField, valueType: `${walrus.packageId}::metadata::Metadata` },
  ]);
  await expect(
    walrus.run((tx) => void onBlob(tx, blob.id, 'add_metadata', walrus.call(tx, 'metadata::new', []))),
  ).rejects.toThrow(aborts(7, 'blob'));
  await expect(
    walrus.run((tx) => void onBlob(tx, blob.id, 'remove_metadata_pair', tx.pure.string('b'))),
  ).rejects.toThrow(aborts(1, 'vec_map'));

  const target = await walrus.registered();
  await walrus.run((tx) => {
    const taken = onBlob(tx, blob.id, 'take_metadata');
    onBlob(tx, target.blob.id, 'add_or_replace_metadata', taken);
  });
  expect(await attributesOf(target.blob.id)).toEqual([{ key: 'a', value: '3' }]);
  await expect(attributesOf(blob.id)).rejects.toThrow(/not found/);
  for (const name of ['take_metadata', 'remove_metadata_pair']) {
    const args = (tx: Transaction) => (name === 'take_metadata' ? [] : [tx.pure.string('a')]);
    await expect(walrus.run((tx) => void onBlob(tx, blob.id, name, ...args(tx)))).rejects.toThrow(
      aborts(8, 'blob'),
    );
  }
  await walrus.remove(target.blob.id);
  await expect(attributesOf(target.blob.id)).rejects.toThrow(/not found/);
});

test('burning a blob, permanent or not, deletes its attributes and returns no storage', async () => {
  for (const deletable of [true, false]) {
    const blob = await walrus.certified({ deletable });
    const { events } = await walrus.run((tx) => {
      onBlob(tx, blob.id, 'insert_or_update_metadata_pair', tx.pure.string('a'), tx.pure.string('1'));
      onBlob(tx, blob.id, 'burn');
    });
    expect(events).toEqual([]);
    await expect(walrus.readBlob(blob.id)).rejects.toThrow(/not found/);
    await expect(attributesOf(blob.id)).rejects.toThrow(/not found/);
    await expect(readStorage(blob.storage.id)).rejects.toThrow(/not found/);
  }
});

test("a blob's accessors return its fields", async () => {
  const blob = await walrus.certified();
  const ask = (name: string) => walrus.ask(`blob::${name}`, blob.id);
  expect(bcs.Address.parse(await ask('object_id'))).toBe(blob.id);
  expect(bcs.u64().parse(await ask('size'))).toBe(String(size));
  expect(bcs.u32().parse(await ask('end_epoch'))).toBe(blob.storage.end_epoch);
  expect(bcs.option(bcs.u32()).parse(await ask('certified_epoch'))).toBe(1);
  expect(bcs.bool().parse(await ask('is_deletable'))).toBe(true);
});

/** Shares a blob with `funds` in FROST. Returns the id of the shared object. */
async function share(blobObject: string, funds: bigint): Promise<string> {
  const result = await walrus.run((tx) => {
    if (funds === 0n) {
      walrus.call(tx, 'shared_blob::new', [tx.object(blobObject)]);
      return;
    }
    walrus.call(tx, 'shared_blob::new_funded', [tx.object(blobObject), walrus.wal(tx, funds)]);
  });
  return created(result, `${walrus.packageId}::shared_blob::SharedBlob`)[0]!;
}

async function readShared(objectId: string) {
  const { object } = await walrus.world.client.getObject({ objectId, include: { content: true } });
  return { owner: object.owner, ...sharedBlobBcs.parse(object.content!) };
}

test('anyone can extend a shared blob, but only with its funds', async () => {
  const blob = await walrus.certified({ epochs: 2 });
  const price = storageCost(encodedSize, 1, prices).storage;
  const shared = await share(blob.id, 2n * price);
  await expect(walrus.readBlob(blob.id)).rejects.toThrow(/not found/);
  expect(await readShared(shared)).toMatchObject({
    owner: { $kind: 'Shared' },
    blob: { id: blob.id, blob_id: blob.blob_id },
    funds: { value: String(2n * price) },
  });

  const stranger = await fundedKey(walrus.world);
  const extend = (epochs: number) =>
    send(walrus.world, stranger, (tx) => {
      const args = [tx.object(shared), tx.object(walrus.system), tx.pure.u32(epochs)];
      walrus.call(tx, 'shared_blob::extend', args);
    });
  const { events } = await extend(1);
  expect(walrusEventBcs.BlobCertified.parse(events[0]!.bcs)).toMatchObject({
    is_extension: true,
    end_epoch: 4,
    object_id: blob.id,
  });
  expect(await readShared(shared)).toMatchObject({ blob: { storage: { end_epoch: 4 } } });
  await expect(extend(2)).rejects.toThrow(/abort code: 2, in '0x0+2::balance::split'/);

  await walrus.run((tx) => {
    walrus.call(tx, 'shared_blob::fund', [tx.object(shared), walrus.wal(tx, price)]);
  });
  await extend(2);
  expect(await readShared(shared)).toMatchObject({
    blob: { storage: { end_epoch: 6 } },
    funds: { value: '0' },
  });
});

test('an unfunded shared blob keeps its attributes and cannot be unshared', async () => {
  const blob = await walrus.certified();
  await walrus.run((tx) => {
    onBlob(tx, blob.id, 'insert_or_update_metadata_pair', tx.pure.string('a'), tx.pure.string('1'));
  });
  const shared = await share(blob.id, 0n);
  expect(await attributesOf(blob.id)).toEqual([{ key: 'a', value: '1' }]);
  await expect(walrus.run((tx) => void onBlob(tx, shared, 'burn'))).rejects.toThrow();
  await expect(walrus.run((tx) => tx.transferObjects([shared], walrus.key.toSuiAddress()))).rejects.toThrow();
});

/** Calls a function of the module `storage_resource` that joins the second storage to the first. */
function fuse(name: string, first: string, second: string) {
  return walrus.run((tx) => {
    walrus.call(tx, `storage_resource::${name}`, [tx.object(first), tx.object(second)]);
  });
}

/** Divides a storage and returns the id of the new one. */
async function split(by: 'epoch' | 'size', storage: string, at: number): Promise<string> {
  const result = await walrus.run((tx) => {
    const where = by === 'epoch' ? tx.pure.u32(at) : tx.pure.u64(at);
    const rest = walrus.call(tx, `storage_resource::split_by_${by}`, [tx.object(storage), where]);
    tx.transferObjects([rest], walrus.key.toSuiAddress());
  });
  return created(result, `${walrus.packageId}::storage_resource::Storage`)[0]!;
}

test('storage is split and merged by size and by epochs', async () => {
  const whole = await walrus.storage(1000, 4);
  const later = await split('epoch', whole, 3);
  expect(await readStorage(whole)).toMatchObject({ start_epoch: 1, end_epoch: 3, storage_size: '1000' });
  expect(await readStorage(later)).toMatchObject({ start_epoch: 3, end_epoch: 5, storage_size: '1000' });
  const rest = await split('size', later, 400);
  expect(await readStorage(later)).toMatchObject({ storage_size: '400' });
  expect(await readStorage(rest)).toMatchObject({ start_epoch: 3, end_epoch: 5, storage_size: '600' });

  await expect(fuse('fuse', whole, rest)).rejects.toThrow(aborts(2, 'storage_resource'));
  await expect(fuse('fuse_amount', whole, rest)).rejects.toThrow(aborts(1, 'storage_resource'));
  await fuse('fuse', later, rest);
  await expect(readStorage(rest)).rejects.toThrow(/not found/);
  const apart = await split('epoch', later, 4);
  await expect(fuse('fuse_periods', whole, apart)).rejects.toThrow(aborts(1, 'storage_resource'));
  await fuse('fuse_periods', apart, later);
  await fuse('fuse', whole, apart);
  expect(await readStorage(whole)).toMatchObject({ start_epoch: 1, end_epoch: 5, storage_size: '1000' });

  for (const epoch of [0, 1, 5, 6]) {
    await expect(split('epoch', whole, epoch)).rejects.toThrow(aborts(0, 'storage_resource'));
  }
  await expect(split('size', whole, 1001)).rejects.toThrow(aborts(2, 'storage_resource'));
});

test('space is reserved for future epochs, within the purchasable range', async () => {
  const storage = await walrus.storage(1000, 2, 5);
  expect(await readStorage(storage)).toMatchObject({ start_epoch: 5, end_epoch: 7 });
  // Storage that starts in the past is bought from the current epoch on.
  expect(await readStorage(await walrus.storage(1000, 2, 0))).toMatchObject({ start_epoch: 1, end_epoch: 2 });
  await expect(walrus.storage(1000, 0, 5)).rejects.toThrow(aborts(2, 'system_state_inner'));
  await expect(walrus.storage(1000, 1, 54)).rejects.toThrow(aborts(2, 'system_state_inner'));
  await expect(walrus.registered({ storage })).rejects.toThrow(aborts(2, 'blob'));
});

test('deleting returns storage, which can be used for another blob or to extend one', async () => {
  const blob = await walrus.certified({ epochs: 3 });
  await walrus.remove(blob.id);
  const again = await walrus.registered({ storage: blob.storage.id });
  expect(again.blob.storage).toEqual(blob.storage);
  await expect(readStorage(blob.storage.id)).rejects.toThrow(/not found/);

  const extendWith = (extension: string) =>
    walrus.run((tx) => {
      const args = [tx.object(walrus.system), tx.object(again.blob.id), tx.object(extension)];
      walrus.call(tx, 'system::extend_blob_with_resource', args);
    });
  const next = await walrus.storage(encodedSize, 2, 4);
  await expect(extendWith(next)).rejects.toThrow(aborts(0, 'blob'));
  await walrus.certify(again.blob);
  await expect(extendWith(await walrus.storage(encodedSize, 2))).rejects.toThrow(aborts(2, 'blob'));
  const gap = await walrus.storage(encodedSize, 2, 5);
  await expect(extendWith(gap)).rejects.toThrow(aborts(1, 'storage_resource'));
  const small = await walrus.storage(encodedSize - 1, 2, 4);
  await expect(extendWith(small)).rejects.toThrow(aborts(2, 'storage_resource'));
  const { events } = await extendWith(next);
  expect(walrusEventBcs.BlobCertified.parse(events[0]!.bcs)).toMatchObject({
    is_extension: true,
    end_epoch: 6,
  });
  expect((await walrus.readBlob(again.blob.id)).storage.end_epoch).toBe(6);
});
