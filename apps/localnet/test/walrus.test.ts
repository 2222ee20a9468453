import {
  blobBcs,
  blobIdDerivationBcs,
  blobMetadataBcs,
  storageConfirmation,
  walrusEventBcs,
} from '@memrelay/chain/walrus-bcs';
import { signBls } from '@memrelay/chain/walrus-bls';
import { encodedBlobLength, storageCost } from '@memrelay/chain/walrus-sizes';
import { bcs } from '@mysten/sui/bcs';
import type { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { coinWithBalance, type Transaction } from '@mysten/sui/transactions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blake2b256 } from '../src/chain/hash.ts';
import { storageNodeKeys } from '../src/walrus/certificate.ts';
import { type ChainWorld, created, fundedKey, send, startWorld } from './chain-world.ts';

const nShards = 31;
const size = 1000;
const rootHash = 123_456_789n;
const prices = { storage: 100_000n, write: 20_000n };

/** The id that belongs to a root hash and a size. */
function blobIdOf(root: bigint, bytes: number): bigint {
  const derivation = blobIdDerivationBcs
    .serialize({ encoding_type: 1, size: bytes, root_hash: root })
    .toBytes();
  return BigInt(bcs.u256().parse(blake2b256(derivation)));
}

describe('Walrus', () => {
  let world: ChainWorld;
  let key: Ed25519Keypair;
  let packageId: string;
  let system: string;
  let blobType: string;
  beforeAll(async () => {
    world = await startWorld('http text');
    key = await fundedKey(world);
    packageId = world.network.ids.walrusPackageId;
    system = world.network.ids.systemObjectId;
    blobType = `${packageId}::blob::Blob`;
  });
  afterAll(() => world.close());

  interface Registration {
    epochs?: number;
    deletable?: boolean;
    blobId?: bigint;
    reserve?: number;
    wal?: bigint;
  }

  /** Adds reserving, registering and sending the blob to its owner, as one transaction of the SDK does. */
  function register(tx: Transaction, options: Registration = {}): void {
    const { epochs = 3, deletable = true, blobId = blobIdOf(rootHash, size) } = options;
    const encoded = options.reserve ?? encodedBlobLength(size, nShards);
    const cost = storageCost(encoded, epochs, prices);
    const type = world.network.ids.walType;
    const payment = tx.add(coinWithBalance({ type, balance: options.wal ?? cost.storage + cost.write }));
    const storage = tx.moveCall({
      target: `${packageId}::system::reserve_space`,
      arguments: [tx.object(system), tx.pure.u64(encoded), tx.pure.u32(epochs), payment],
    });
    const blob = tx.moveCall({
      target: `${packageId}::system::register_blob`,
      arguments: [
        tx.object(system),
        storage,
        tx.pure.u256(blobId),
        tx.pure.u256(rootHash),
        tx.pure.u64(size),
        tx.pure.u8(1),
        tx.pure.bool(deletable),
        payment,
      ],
    });
    tx.moveCall({ target: '0x2::coin::destroy_zero', typeArguments: [type], arguments: [payment] });
    tx.transferObjects([blob], key.toSuiAddress());
  }

  async function registered(options: Registration = {}) {
    const result = await send(world, key, (tx) => register(tx, options));
    return { result, blob: await readBlob(created(result, blobType)[0]!) };
  }

  async function readBlob(objectId: string) {
    const { object } = await world.client.getObject({ objectId, include: { content: true } });
    return blobBcs.parse(object.content!);
  }

  interface Certification {
    blob: typeof blobBcs.$inferType;
    signature?: Uint8Array;
    bitmap?: number;
    message?: Uint8Array;
  }

  function certify(blob: Certification['blob'], changes: Omit<Certification, 'blob'> = {}) {
    return certifyAll([{ blob, ...changes }]);
  }

  /** Certifies blobs in one transaction. */
  function certifyAll(certifications: Certification[]) {
    return send(world, key, (tx) => {
      for (const { blob, bitmap = 1, ...given } of certifications) {
        const message = given.message ?? storageConfirmation(1, blob);
        const signature = given.signature ?? signBls(world.network.storageNode.secretKey, message);
        tx.moveCall({
          target: `${packageId}::system::certify_blob`,
          arguments: [
            tx.object(system),
            tx.object(blob.id),
            tx.pure.vector('u8', signature),
            tx.pure.vector('u8', [bitmap]),
            tx.pure.vector('u8', message),
          ],
        });
      }
    });
  }

  function extend(blobObject: string, epochs: number) {
    return send(world, key, (tx) => {
      const cost = storageCost(encodedBlobLength(size, nShards), epochs, prices).storage;
      const type = world.network.ids.walType;
      const payment = tx.add(coinWithBalance({ type, balance: cost }));
      tx.moveCall({
        target: `${packageId}::system::extend_blob`,
        arguments: [tx.object(system), tx.object(blobObject), tx.pure.u32(epochs), payment],
      });
      tx.moveCall({ target: '0x2::coin::destroy_zero', typeArguments: [type], arguments: [payment] });
    });
  }

  function remove(blobObject: string) {
    return send(world, key, (tx) => {
      const storage = tx.moveCall({
        target: `${packageId}::system::delete_blob`,
        arguments: [tx.object(system), tx.object(blobObject)],
      });
      tx.transferObjects([storage], key.toSuiAddress());
    });
  }

  const aborts = (code: number, place: string) =>
    new RegExp(`abort code: ${code}, in '0x[0-9a-f]+::${place}`);

  test('a blob is registered, certified, extended and deleted, with its price and events', async () => {
    const { client } = world;
    const owner = key.toSuiAddress();
    const type = world.network.ids.walType;
    const before = BigInt((await client.getBalance({ owner, coinType: type })).balance.balance);
    const { result, blob } = await registered();
    const cost = storageCost(encodedBlobLength(size, nShards), 3, prices);
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
    expect(result.events[0]!.eventType).toBe(`${packageId}::events::BlobRegistered`);

    const certified = await certify(blob);
    expect((await readBlob(blob.id)).certified_epoch).toBe(1);
    expect(walrusEventBcs.BlobCertified.parse(certified.events[0]!.bcs)).toMatchObject({
      is_extension: false,
    });
    await expect(certify(blob)).rejects.toThrow(aborts(5, 'blob'));

    const extended = await extend(blob.id, 2);
    expect((await readBlob(blob.id)).storage.end_epoch).toBe(6);
    expect(walrusEventBcs.BlobCertified.parse(extended.events[0]!.bcs)).toMatchObject({ is_extension: true });

    const deleted = await remove(blob.id);
    expect(walrusEventBcs.BlobDeleted.parse(deleted.events[0]!.bcs)).toMatchObject({ was_certified: true });
    await expect(readBlob(blob.id)).rejects.toThrow(/not found/);
    const storage = await client.getObject({ objectId: blob.storage.id });
    expect(storage.object.type).toBe(`${packageId}::storage_resource::Storage`);
  });

  test.each([0, 54])('%i epochs are refused', async (epochs) => {
    await expect(registered({ epochs })).rejects.toThrow(aborts(2, 'system_state_inner'));
  });

  test('53 epochs are the most, and an extension does not go beyond', async () => {
    const { blob } = await registered({ epochs: 53 });
    await certify(blob);
    await expect(extend(blob.id, 1)).rejects.toThrow(aborts(2, 'system_state_inner'));
  });

  test('a blob id that does not belong to the root hash is refused', async () => {
    await expect(registered({ blobId: 1n })).rejects.toThrow(aborts(6, 'blob'));
  });

  test('too little space is refused', async () => {
    await expect(registered({ reserve: encodedBlobLength(size, nShards) - 1 })).rejects.toThrow(
      aborts(3, 'blob'),
    );
  });

  test('too little WAL is refused', async () => {
    await expect(registered({ wal: 1n })).rejects.toThrow(/abort code: 2, in '0x0+2::balance::split'/);
  });

  test('one bad certificate among good ones of a transaction is found, wherever it stands', async () => {
    const blobs = [await registered(), await registered(), await registered()].map(({ blob }) => blob);
    const signature = signBls(world.network.storageNode.secretKey, Buffer.from('something else'));
    for (const bad of blobs) {
      const certifications = blobs.map((blob) => (blob === bad ? { blob, signature } : { blob }));
      await expect(certifyAll(certifications)).rejects.toThrow(aborts(1, 'bls_aggregate'));
    }
    for (const { id } of blobs) expect((await readBlob(id)).certified_epoch).toBeNull();
    await certifyAll(blobs.map((blob) => ({ blob })));
    for (const { id } of blobs) expect((await readBlob(id)).certified_epoch).toBe(1);
  });

  test('a good certificate is not taken again with its bytes divided otherwise', async () => {
    const { blob } = await registered();
    const message = storageConfirmation(1, blob);
    const signature = signBls(world.network.storageNode.secretKey, message);
    await certify(blob, { signature, message });
    const shifted = {
      signature: signature.slice(0, -1),
      message: Uint8Array.of(...signature.slice(-1), ...message),
    };
    await expect(certify(blob, shifted)).rejects.toThrow(aborts(1, 'bls_aggregate'));
  });

  test('certificates that do not hold are refused', async () => {
    const { blob } = await registered();
    const stranger = storageNodeKeys(new Uint8Array(32).fill(9)).secretKey;
    const message = storageConfirmation(1, blob);
    const good = signBls(world.network.storageNode.secretKey, message);
    const sign = (other: Uint8Array) => ({
      message: other,
      signature: signBls(world.network.storageNode.secretKey, other),
    });
    await expect(certify(blob, { signature: signBls(stranger, message) })).rejects.toThrow(
      aborts(1, 'bls_aggregate'),
    );
    await expect(certify(blob, { signature: new Uint8Array(96) })).rejects.toThrow(
      aborts(1, 'bls_aggregate'),
    );
    await expect(
      certify(blob, { signature: good, message: storageConfirmation(1, { ...blob, id: system }) }),
    ).rejects.toThrow(aborts(1, 'bls_aggregate'));
    await expect(certify(blob, { bitmap: 0 })).rejects.toThrow(aborts(2, 'bls_aggregate'));
    await expect(certify(blob, { bitmap: 3 })).rejects.toThrow(aborts(0, 'bls_aggregate'));
    await expect(certify(blob, sign(storageConfirmation(2, blob)))).rejects.toThrow(
      aborts(1, 'bls_aggregate'),
    );
    await expect(certify(blob, sign(storageConfirmation(1, { ...blob, id: system })))).rejects.toThrow(
      aborts(10, 'blob'),
    );
    await expect(certify(blob, sign(storageConfirmation(1, { ...blob, deletable: false })))).rejects.toThrow(
      aborts(9, 'blob'),
    );
    await expect(certify(blob, sign(storageConfirmation(1, { ...blob, blob_id: '5' })))).rejects.toThrow(
      aborts(6, 'blob'),
    );
    await expect(certify(blob, sign(new Uint8Array([0, 0, 3])))).rejects.toThrow(aborts(2, 'messages'));
    expect((await readBlob(blob.id)).certified_epoch).toBeNull();
    await expect(extend(blob.id, 1)).rejects.toThrow(aborts(0, 'blob'));
    await certify(blob);
  });

  test('a permanent blob is certified by another message and cannot be deleted', async () => {
    const { blob } = await registered({ deletable: false });
    await certify(blob);
    await expect(remove(blob.id)).rejects.toThrow(aborts(1, 'blob'));
  });

  test('attributes are written, changed, removed, and go with the blob', async () => {
    const { blob } = await registered();
    const call = (tx: Transaction, name: string, args: Parameters<Transaction['moveCall']>[0]['arguments']) =>
      tx.moveCall({
        target: `${packageId}::blob::${name}`,
        arguments: [tx.object(blob.id), ...(args ?? [])],
      });
    await send(world, key, (tx) => {
      call(tx, 'add_metadata', [tx.moveCall({ target: `${packageId}::metadata::new` })]);
      call(tx, 'insert_or_update_metadata_pair', [tx.pure.string('a'), tx.pure.string('1')]);
      call(tx, 'insert_or_update_metadata_pair', [tx.pure.string('b'), tx.pure.string('2')]);
      call(tx, 'insert_or_update_metadata_pair', [tx.pure.string('a'), tx.pure.string('3')]);
      call(tx, 'remove_metadata_pair', [tx.pure.string('b')]);
    });
    const name = { type: 'vector<u8>', bcs: bcs.string().serialize('metadata').toBytes() };
    const { dynamicField } = await world.client.getDynamicField({ parentId: blob.id, name });
    expect(blobMetadataBcs.parse(dynamicField.value.bcs).metadata.contents).toEqual([
      { key: 'a', value: '3' },
    ]);
    await expect(
      send(world, key, (tx) =>
        call(tx, 'add_metadata', [tx.moveCall({ target: `${packageId}::metadata::new` })]),
      ),
    ).rejects.toThrow(aborts(7, 'blob'));
    await remove(blob.id);
    await expect(world.client.getDynamicField({ parentId: blob.id, name })).rejects.toThrow(/not found/);
  });

  test("nobody else's blob can be used", async () => {
    const { blob } = await registered();
    const thief = await fundedKey(world);
    await expect(
      send(world, thief, (tx) => {
        const storage = tx.moveCall({
          target: `${packageId}::system::delete_blob`,
          arguments: [tx.object(system), tx.object(blob.id)],
        });
        tx.transferObjects([storage], thief.toSuiAddress());
      }),
    ).rejects.toThrow(/is owned by/);
  });

  test('a blob expires with its end epoch', async () => {
    const { blob } = await registered({ epochs: 1 });
    await certify(blob);
    const token = world.network.adminToken;
    const post = (authorization: string) =>
      fetch(`${world.localnet!.url}/admin/advance-epoch`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ epochs: 1 }),
      });
    expect((await post('Bearer nonsense')).status).toBe(401);
    expect(await (await post(`Bearer ${token}`)).json()).toEqual({ epoch: 2 });
    expect(world.localnet!.info.walrus.epoch).toBe(2);
    await expect(extend(blob.id, 1)).rejects.toThrow(aborts(2, 'blob'));
    await expect(remove(blob.id)).rejects.toThrow(aborts(2, 'blob'));
  });
});
