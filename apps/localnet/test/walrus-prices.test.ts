import { createChainClient } from '@memrelay/chain/chain-client';
import { maxPatches, quiltSize } from '@memrelay/chain/quilt-size';
import { readWalrusNetwork } from '@memrelay/chain/walrus-network';
import { readWalrusTariff, readWalType } from '@memrelay/chain/walrus-prices';
import { encodedBlobLength, storageCost } from '@memrelay/chain/walrus-sizes';
import { encodeQuilt, WalrusClient } from '@mysten/walrus';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ChainWorld, startWorld } from './chain-world.ts';

let world: ChainWorld;
beforeAll(async () => {
  world = await startWorld('http text');
});
afterAll(() => world.close());

test('prices read from the chain give the costs computed by the Walrus SDK', async () => {
  const { systemObjectId, stakingObjectId } = world.network.ids;
  const chain = createChainClient({ network: 'localnet', baseUrl: world.localnet!.url });
  const tariff = await readWalrusTariff(chain, systemObjectId);
  const client = new WalrusClient({
    suiClient: world.client,
    packageConfig: { systemObjectId, stakingPoolId: stakingObjectId },
  });
  for (const [size, epochs] of [
    [0, 1],
    [1_600, 2],
    [34_650, 53],
    [1_048_576, 7],
  ] as const) {
    const { storage, write } = storageCost(encodedBlobLength(size, tariff.nShards), epochs, tariff);
    expect({ storageCost: storage, writeCost: write, totalCost: storage + write }).toEqual(
      await client.storageCost(size, epochs),
    );
  }
  expect(tariff).toMatchObject({ nShards: 31, epoch: 1, maxEpochsAhead: 53 });
});

test('the WAL coin is identified by the staking type', async () => {
  const { systemObjectId, walType } = world.network.ids;
  const chain = createChainClient({ network: 'localnet', baseUrl: world.localnet!.url });
  expect(await readWalType(chain, await readWalrusNetwork(chain, systemObjectId))).toBe(walType);
});

test.each([
  [1000, 1, 1_600],
  [1000, 40, 1_600],
  [1000, 127, 1_600],
  [1000, 128, 3_333],
  [1000, 300, 700],
  [1000, 666, 1_600],
  [1000, 100, 100_000],
  [31, 20, 1_600],
  [31, 5, 3_000],
  [31, 1, 0],
])(
  "a quilt over %i shards of %i patches with %i bytes is as large as the Walrus SDK's",
  (nShards, count, size) => {
    const { quilt, index } = encodeQuilt({
      numShards: nShards,
      blobs: Array.from({ length: count }, (_, i) => ({
        identifier: String(i).padStart(36, '0'),
        contents: new Uint8Array(size),
      })),
    });
    const [first] = index.patches;
    expect(quiltSize(count, size, 36, nShards)).toEqual({
      bytes: quilt.length,
      columns: first!.endIndex - first!.startIndex,
    });
  },
);

test('more patches than a quilt has columns are rejected, as in the Walrus SDK', () => {
  const count = maxPatches(31) + 1;
  expect(() => quiltSize(count, 1, 36, 31)).toThrow(RangeError);
  const blobs = Array.from({ length: count }, (_, i) => ({
    identifier: String(i).padStart(36, '0'),
    contents: new Uint8Array(1),
  }));
  expect(() => encodeQuilt({ numShards: 31, blobs })).toThrow('Too many blobs');
});
