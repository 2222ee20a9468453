import { randomBytes } from 'node:crypto';
import { ownedBlobs } from '@memrelay/chain/owned-blobs';
import { readWalrusNetwork } from '@memrelay/chain/walrus-network';
import { askFaucet } from 'memrelay/system/network-info';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { endLeases } from '../../src/pass-time.ts';
import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';
import { startTestNetwork, type TestNetwork } from '../../src/test-network.ts';
import { createTestOwner, newTestKey, type TestKey, type TestOwner } from '../../src/test-owner.ts';
import { startTestRelayer, type TestRelayer } from '../../src/test-relayer.ts';

/** Tests uploads paid by the server's own wallets through the upload relay: register, relay, certify, transfer. */

let network: TestNetwork;
let backend: TestBackend;
let relayer: TestRelayer | undefined;
beforeAll(async () => {
  [network, backend] = await Promise.all([startTestNetwork(), createTestBackend()]);
});
afterEach(() => relayer?.stop());
afterAll(async () => {
  await Promise.all([network?.close(), backend?.drop()]);
});

async function fundedWallets(count: number): Promise<TestKey[]> {
  const wallets = Array.from({ length: count }, newTestKey);
  await Promise.all(wallets.map(({ address }) => askFaucet(network.chainUrl, address)));
  return wallets;
}

async function startWith(wallets: readonly TestKey[], more: NodeJS.ProcessEnv = {}): Promise<TestRelayer> {
  relayer = await startTestRelayer(network, {
    ...backend,
    environment: {
      STORE_PUBLISHER_URL: '',
      STORE_UPLOAD_RELAY_URL: network.blobstoreUrl,
      SERVER_CHAIN_PRIVATE_KEYS: wallets.map(({ privateKey }) => privateKey).join(','),
      ...more,
    },
  });
  return relayer;
}

async function blobsOf(address: string) {
  const walrus = await readWalrusNetwork(network.chain, network.info.walrus.systemObjectId);
  const blobs = [];
  for await (const blob of ownedBlobs(network.chain, walrus, address)) blobs.push(blob);
  return blobs;
}

async function memorize(owner: TestOwner, url: string, texts: readonly string[]): Promise<string[]> {
  const client = owner.client(url);
  const { jobIds } = await client.rememberBulk(texts.map((text) => ({ text })));
  client.destroy();
  return jobIds;
}

/** Waits until every job is done; returns the ids of the blobs. */
async function untilDone(owner: TestOwner, url: string, jobIds: readonly string[]): Promise<string[]> {
  const client = owner.client(url, { deadlineMs: 60_000 });
  const outcomes = await client.waitForJobs(jobIds, { timeoutMs: 90_000 });
  client.destroy();
  return outcomes.map((outcome) => {
    expect(outcome).toMatchObject({ status: 'done' });
    return outcome.blobId!;
  });
}

const texts = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `note ${i}: ${randomBytes(8).toString('hex')}`);

test('stores each memory as one certified object of its owner, and alternates between the wallets', async () => {
  const wallets = await fundedWallets(3);
  const { url } = await startWith(wallets);
  const owner = await createTestOwner(network);
  const notes = texts(12);
  const blobIds = await untilDone(owner, url, await memorize(owner, url, notes));
  const blobs = await blobsOf(owner.wallet.address);
  expect(blobs.map(({ blobId }) => blobId).sort()).toEqual([...blobIds].sort());
  expect(blobs.every(({ certified, deletable }) => certified && deletable)).toBe(true);
  for (const { address } of wallets) {
    expect(await blobsOf(address)).toEqual([]);
    const { balance } = await network.chain.sui.core.getBalance({ owner: address });
    expect(BigInt(balance.balance), 'every wallet has paid').toBeLessThan(1_000_000_000_000n);
  }
  const client = owner.client(url);
  const { results } = await client.recall(notes[7]!, { limit: 1 });
  expect(results[0]?.text).toBe(notes[7]);
  client.destroy();
});

test('uploads with the Walrus package, system and staking object that are configured, not those of CHAIN_NETWORK', async () => {
  const { walrus, keyServers } = network.info;
  const { url } = await startWith(await fundedWallets(1), {
    // The objects of that network do not exist on this chain
    CHAIN_NETWORK: 'testnet',
    ENC_SERVER_CONFIGS: JSON.stringify(keyServers.map(({ objectId, weight }) => ({ objectId, weight }))),
    STORE_PACKAGE_ID: walrus.packageId,
    STORE_SYSTEM_OBJECT_ID: walrus.systemObjectId,
    STORE_STAKING_OBJECT_ID: walrus.stakingObjectId,
    STORE_SHARDS: String(walrus.nShards),
    STORE_EPOCHS: '2',
    MEM_ALLOW_MOCK_LLM: 'true',
  });
  const owner = await createTestOwner(network);
  const [blobId] = await untilDone(owner, url, await memorize(owner, url, texts(1)));
  expect(await blobsOf(owner.wallet.address)).toMatchObject([{ blobId, certified: true }]);
});

test('skips a wallet without coins, and the others take over', async () => {
  const [rich] = await fundedWallets(1);
  const poor = newTestKey();
  const { url } = await startWith([poor, rich!]);
  const owner = await createTestOwner(network);
  await untilDone(owner, url, await memorize(owner, url, texts(6)));
  expect(await blobsOf(owner.wallet.address)).toHaveLength(6);
  const complaints = relayer!.logs().match(/a wallet needs coins/g) ?? [];
  expect(complaints.length).toBeGreaterThan(0);
  expect(complaints.length, 'a resting wallet is not tried again').toBeLessThan(3);
});

test('loses and pays nothing twice when relayer and sidecar are killed at any moment', async () => {
  const wallets = await fundedWallets(2);
  await startWith(wallets);
  const owner = await createTestOwner(network);
  const jobIds = await memorize(owner, relayer!.url, texts(8));
  for (let round = 0; round < 3; round++) {
    // As soon as one more object exists, regardless of its owner: in the middle of the next upload
    const before = await objects(owner, wallets);
    await expect
      .poll(() => objects(owner, wallets), { timeout: 30_000, interval: 20 })
      .toBeGreaterThan(before);
    await relayer!.kill();
    await endLeases(relayer!);
    await relayer!.start();
  }
  await untilDone(owner, relayer!.url, jobIds);
  const blobs = await blobsOf(owner.wallet.address);
  expect(blobs).toHaveLength(8);
  expect(new Set(blobs.map(({ blobId }) => blobId)).size).toBe(8);
  for (const { address } of wallets) expect(await blobsOf(address)).toEqual([]);
}, 180_000);

async function objects(owner: TestOwner, wallets: readonly TestKey[]): Promise<number> {
  const counts = await Promise.all(
    [owner.wallet, ...wallets].map(async ({ address }) => (await blobsOf(address)).length),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
