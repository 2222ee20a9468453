import { storageConfirmation } from '@memrelay/chain/walrus-bcs';
import { signBls } from '@memrelay/chain/walrus-bls';
import { encodedBlobLength, storageCost } from '@memrelay/chain/walrus-sizes';
import { WalrusClient } from '@mysten/walrus';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ChainWorld, fundedKey, startWorld } from './chain-world.ts';

let world: ChainWorld;
beforeAll(async () => {
  world = await startWorld('http text');
});
afterAll(() => world.close());

function walrusClient(): WalrusClient {
  const { systemObjectId, stakingObjectId } = world.network.ids;
  return new WalrusClient({
    suiClient: world.client,
    packageConfig: { systemObjectId, stakingPoolId: stakingObjectId },
  });
}

test('the unmodified Walrus SDK takes a blob through its whole lifetime', async () => {
  const client = walrusClient();
  const signer = await fundedKey(world);
  const bytes = new TextEncoder().encode('hello walrus');
  const { blobId, rootHash } = await client.computeBlobMetadata({ bytes });
  const { blob } = await client.executeRegisterBlobTransaction({
    signer,
    blobId,
    rootHash,
    size: bytes.length,
    epochs: 3,
    deletable: true,
    owner: signer.toSuiAddress(),
    attributes: { kind: 'greeting' },
  });
  const blobObjectId = blob.id;
  expect(await client.readBlobAttributes({ blobObjectId })).toEqual({ kind: 'greeting' });

  const serializedMessage = storageConfirmation(1, blob);
  const { members, secretKey } = world.network.committee;
  const signature = signBls(secretKey, serializedMessage);
  const certificate = { signers: members.map(({ index }) => index), serializedMessage, signature };
  await client.executeCertifyBlobTransaction({ signer, blobId, blobObjectId, deletable: true, certificate });
  await client.executeExtendBlobTransaction({ signer, blobObjectId, epochs: 2 });
  await client.executeWriteBlobAttributesTransaction({
    signer,
    blobObjectId,
    attributes: { kind: null, a: 'b' },
  });
  expect(await client.readBlobAttributes({ blobObjectId })).toEqual({ a: 'b' });
  await client.executeDeleteBlobTransaction({ signer, blobObjectId });
  await expect(client.readBlobAttributes({ blobObjectId })).rejects.toThrow(/not found/);
});

test('it reads the state and computes the same lengths and prices as we do', async () => {
  const client = walrusClient();
  expect((await client.systemState()).committee).toMatchObject({ n_shards: 31, epoch: 1 });
  expect((await client.stakingState()).n_shards).toBe(31);
  for (const size of [0, 1, 462, 463, 100_000]) {
    const ours = storageCost(encodedBlobLength(size, 31), 5, { storage: 100_000n, write: 20_000n });
    expect(await client.storageCost(size, 5)).toMatchObject({
      storageCost: ours.storage,
      writeCost: ours.write,
    });
  }
});
