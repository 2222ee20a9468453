import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LocalnetProcess, startLocalnet } from './localnet-process.ts';
import { blobIdOf, startStore } from './running-store.ts';
import { nodesClient } from './walrus-client.ts';

let localnet: LocalnetProcess;
beforeAll(async () => {
  localnet = await startLocalnet({ LOCALNET_SHARDS: '1000' });
});
afterAll(() => localnet.stop());

test('with 1000 shards the client writes and reads through the storage nodes, and reads published blobs', async () => {
  const store = await startStore({ nShards: 1000, chain: await localnet.chainOptions() });
  const signer = await localnet.fundedKey();
  // A busy machine takes longer than the client's 30 s for two thousand requests at once.
  const { walrus } = await nodesClient(localnet.url, { timeout: 240_000 });
  const blob = randomBytes(2000);
  const { blobId } = await walrus.writeBlob({ blob, deletable: true, epochs: 1, signer });
  const answer = await fetch(`${store.url}/v1/blobs/${blobId}`);
  expect(Buffer.from(await answer.arrayBuffer()).equals(blob)).toBe(true);
  expect(Buffer.from(await walrus.readBlob({ blobId })).equals(blob)).toBe(true);

  const published = randomBytes(20_000);
  const other = await blobIdOf(store.url, published);
  expect(Buffer.from(await walrus.readBlob({ blobId: other })).equals(published)).toBe(true);
}, 300_000);
