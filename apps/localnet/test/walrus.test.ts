import { storageConfirmation, walrusEventBcs } from '@memrelay/chain/walrus-bcs';
import { signBls } from '@memrelay/chain/walrus-bls';
import { storageCommittee } from '@memrelay/chain/walrus-committee';
import { storageCost } from '@memrelay/chain/walrus-sizes';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fundedKey, send } from './chain-world.ts';
import { aborts, encodedSize, prices, size, startWalrus, type WalrusWorld } from './walrus-world.ts';

let walrus: WalrusWorld;
beforeAll(async () => {
  walrus = await startWalrus();
});
afterAll(() => walrus.world.close());

test('a blob is registered, certified, extended and deleted, with its price and events', async () => {
  const { client } = walrus.world;
  const owner = walrus.key.toSuiAddress();
  const type = walrus.world.network.ids.walType;
  const before = BigInt((await client.getBalance({ owner, coinType: type })).balance.balance);
  const { result, blob } = await walrus.registered();
  const cost = storageCost(encodedSize, 3, prices);
  const after = BigInt((await client.getBalance({ owner, coinType: type })).balance.balance);
  expect(before - after).toBe(cost.storage + cost.write);
  expect(blob).toMatchObject({
    registered_epoch: 1,
    certified_epoch: null,
    size: String(size),
    deletable: true,
    storage: { start_epoch: 1, end_epoch: 4 },
  });
  expect(walrusEventBcs.BlobRegistered.parse(result.events[0]!.bcs)).toMatchObject({
    epoch: 1,
    end_epoch: 4,
    object_id: blob.id,
  });
  expect(result.events[0]!.eventType).toBe(`${walrus.packageId}::events::BlobRegistered`);

  const certified = await walrus.certify(blob);
  expect((await walrus.readBlob(blob.id)).certified_epoch).toBe(1);
  expect(walrusEventBcs.BlobCertified.parse(certified.events[0]!.bcs)).toMatchObject({
    is_extension: false,
  });
  await expect(walrus.certify(blob)).rejects.toThrow(aborts(5, 'blob'));

  const extended = await walrus.extend(blob.id, 2);
  expect((await walrus.readBlob(blob.id)).storage.end_epoch).toBe(6);
  expect(walrusEventBcs.BlobCertified.parse(extended.events[0]!.bcs)).toMatchObject({ is_extension: true });

  const deleted = await walrus.remove(blob.id);
  expect(walrusEventBcs.BlobDeleted.parse(deleted.events[0]!.bcs)).toMatchObject({ was_certified: true });
  await expect(walrus.readBlob(blob.id)).rejects.toThrow(/not found/);
  const storage = await client.getObject({ objectId: blob.storage.id });
  expect(storage.object.type).toBe(`${walrus.packageId}::storage_resource::Storage`);
});

test.each([0, 54])('%i epochs are rejected', async (epochs) => {
  await expect(walrus.registered({ epochs })).rejects.toThrow(aborts(2, 'system_state_inner'));
});

test('53 epochs are the maximum, also for extensions', async () => {
  const { blob } = await walrus.registered({ epochs: 53 });
  await walrus.certify(blob);
  await expect(walrus.extend(blob.id, 1)).rejects.toThrow(aborts(2, 'system_state_inner'));
});

test('a blob id that does not match the root hash is rejected', async () => {
  await expect(walrus.registered({ blobId: 1n })).rejects.toThrow(aborts(6, 'blob'));
});

test('an unused encoding is rejected', async () => {
  await expect(walrus.registered({ encodingType: 0 })).rejects.toThrow(aborts(0, 'encoding'));
});

test('too little space is rejected', async () => {
  await expect(walrus.registered({ reserve: encodedSize - 1 })).rejects.toThrow(aborts(3, 'blob'));
});

test('too little WAL is rejected', async () => {
  await expect(walrus.registered({ wal: 1n })).rejects.toThrow(/abort code: 2, in '0x0+2::balance::split'/);
});

test('one bad certificate among good ones of a transaction is detected at any position', async () => {
  const blobs = [await walrus.registered(), await walrus.registered(), await walrus.registered()].map(
    ({ blob }) => blob,
  );
  const signature = signBls(walrus.world.network.committee.secretKey, Buffer.from('something else'));
  for (const bad of blobs) {
    const certifications = blobs.map((blob) => (blob === bad ? { blob, signature } : { blob }));
    await expect(walrus.certifyAll(certifications)).rejects.toThrow(aborts(1, 'bls_aggregate'));
  }
  for (const { id } of blobs) expect((await walrus.readBlob(id)).certified_epoch).toBeNull();
  await walrus.certifyAll(blobs.map((blob) => ({ blob })));
  for (const { id } of blobs) expect((await walrus.readBlob(id)).certified_epoch).toBe(1);
});

test('a valid certificate is not accepted with its bytes split differently', async () => {
  const { blob } = await walrus.registered();
  const message = storageConfirmation(1, blob);
  const signature = signBls(walrus.world.network.committee.secretKey, message);
  await walrus.certify(blob, { signature, message });
  const shifted = {
    signature: signature.slice(0, -1),
    message: Uint8Array.of(...signature.slice(-1), ...message),
  };
  await expect(walrus.certify(blob, shifted)).rejects.toThrow(aborts(1, 'bls_aggregate'));
});

test('invalid certificates are rejected', async () => {
  const { blob } = await walrus.registered();
  const stranger = storageCommittee(new Uint8Array(32).fill(9), 31).secretKey;
  const message = storageConfirmation(1, blob);
  const refused = (changes: Parameters<typeof walrus.certify>[1], code: number, place: string) =>
    expect(walrus.certify(blob, changes)).rejects.toThrow(aborts(code, place));
  const signed = (other: Uint8Array) => ({
    message: other,
    signature: signBls(walrus.world.network.committee.secretKey, other),
  });
  const other = storageConfirmation(1, { ...blob, id: walrus.system });

  await refused({ signature: signBls(stranger, message) }, 1, 'bls_aggregate');
  await refused({ signature: new Uint8Array(96) }, 1, 'bls_aggregate');
  await refused({ signature: signed(message).signature, message: other }, 1, 'bls_aggregate');
  await refused({ bitmap: [0, 0] }, 2, 'bls_aggregate');
  await refused({ bitmap: [0b0111_1111, 0] }, 2, 'bls_aggregate');
  await refused({ bitmap: [0b1111_1111, 0] }, 1, 'bls_aggregate');
  await refused({ bitmap: [0b1111_1111, 0b1000] }, 0, 'bls_aggregate');
  await refused({ bitmap: [0b1111_1111, 0b111, 0] }, 0, 'bls_aggregate');
  await refused({ bitmap: [0b1111_1111] }, 0, 'bls_aggregate');
  await refused({ bitmap: [] }, 0, 'bls_aggregate');

  const changed = (index: number, byte: number) => signed(message.with(index, byte));
  await refused(changed(0, 0), 2, 'messages');
  await refused(changed(1, 1), 3, 'messages');
  await refused(changed(2, 4), 0, 'messages');
  await refused(signed(storageConfirmation(2, blob)), 1, 'messages');
  await refused(changed(39, 3), 4, 'messages');
  await refused(signed(message.slice(0, 6)), 0, 'bcs');
  await refused(signed(message.slice(0, -1)), 0, 'bcs');

  await refused(signed(other), 10, 'blob');
  await refused(signed(storageConfirmation(1, { ...blob, deletable: false })), 9, 'blob');
  await refused(signed(storageConfirmation(1, { ...blob, blob_id: '5' })), 6, 'blob');

  expect((await walrus.readBlob(blob.id)).certified_epoch).toBeNull();
  await expect(walrus.extend(blob.id, 1)).rejects.toThrow(aborts(0, 'blob'));
  // Bytes after the known fields are allowed, for later versions of the message.
  await walrus.certify(blob, signed(Uint8Array.of(...message, 9)));
});

test('a permanent blob is certified by another message and cannot be deleted', async () => {
  const { blob } = await walrus.registered({ deletable: false });
  await walrus.certify(blob);
  await expect(walrus.remove(blob.id)).rejects.toThrow(aborts(1, 'blob'));
});

test("another owner's blob cannot be used", async () => {
  const { blob } = await walrus.registered();
  const thief = await fundedKey(walrus.world);
  await expect(
    send(walrus.world, thief, (tx) => {
      const storage = tx.moveCall({
        target: `${walrus.packageId}::system::delete_blob`,
        arguments: [tx.object(walrus.system), tx.object(blob.id)],
      });
      tx.transferObjects([storage], thief.toSuiAddress());
    }),
  ).rejects.toThrow(/is owned by/);
});

test('a blob expires with its end epoch', async () => {
  const { blob } = await walrus.registered({ epochs: 1 });
  await walrus.certify(blob);
  const token = walrus.world.network.adminToken;
  const post = (authorization: string) =>
    fetch(`${walrus.world.localnet!.url}/admin/advance-epoch`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ epochs: 1 }),
    });
  expect((await post('Bearer nonsense')).status).toBe(401);
  expect(await (await post(`Bearer ${token}`)).json()).toEqual({ epoch: 2 });
  expect(walrus.world.localnet!.info.walrus.epoch).toBe(2);
  await expect(walrus.extend(blob.id, 1)).rejects.toThrow(aborts(2, 'blob'));
  await expect(walrus.remove(blob.id)).rejects.toThrow(aborts(2, 'blob'));
});
