import { type OwnedBlob, ownedBlobs } from '@memrelay/chain/owned-blobs';
import { readWalrusNetwork } from '@memrelay/chain/walrus-network';
import { askFaucet } from 'memrelay/system/network-info';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { advanceEpoch } from '../../src/advance-epoch.ts';
import { startFaultProxy } from '../../src/fault-proxy.ts';
import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';
import { startTestNetwork, type TestNetwork } from '../../src/test-network.ts';
import { createTestOwner, newTestKey, type TestOwner } from '../../src/test-owner.ts';
import { startTestRelayer, type TestRelayer } from '../../src/test-relayer.ts';

/** Tests that memories outlive the storage period that was paid for at first. */

let network: TestNetwork;
let backend: TestBackend;
let relayer: TestRelayer | undefined;
beforeAll(async () => {
  network = await startTestNetwork();
});
afterAll(() => network?.close());
beforeEach(async () => {
  backend = await createTestBackend();
});
afterEach(async () => {
  await relayer?.stop();
  relayer = undefined;
  await backend.drop();
});

/** Starts a relayer that stores for two epochs and caches nothing, so that every recall reads the blob. */
async function startWith(environment: NodeJS.ProcessEnv): Promise<string> {
  await relayer?.stop();
  const shortLived = { STORE_EPOCHS: '2', BLOB_CACHE_TTL_SECS: '0' };
  relayer = await startTestRelayer(network, { ...backend, environment: { ...shortLived, ...environment } });
  return relayer.url;
}

async function blobsOf({ wallet }: TestOwner): Promise<OwnedBlob[]> {
  const walrus = await readWalrusNetwork(network.chain, network.info.walrus.systemObjectId);
  const blobs = [];
  for await (const blob of ownedBlobs(network.chain, walrus, wallet.address)) blobs.push(blob);
  return blobs;
}

async function endsOf(owner: TestOwner, url: string): Promise<(number | undefined)[]> {
  const client = owner.client(url);
  const { memories } = await client.memoriesPage();
  client.destroy();
  return memories.map(({ expiresEpoch }) => expiresEpoch);
}

async function texts(owner: TestOwner, url: string): Promise<string[]> {
  const client = owner.client(url);
  const { results } = await client.recall('note', { minScore: -1, limit: 10 });
  client.destroy();
  return results.map(({ text }) => text).sort();
}

const notes = ['note one', 'note three', 'note two'];

async function outlives(environment: NodeJS.ProcessEnv): Promise<void> {
  const url = await startWith(environment);
  const owner = await createTestOwner(network);
  const client = owner.client(url);
  await client.rememberBulkAndWait(notes.map((text) => ({ text })));
  client.destroy();
  const [first] = await endsOf(owner, url);
  expect(await endsOf(owner, url)).toEqual([first, first, first]);

  await advanceEpoch(network);
  const again = await startWith(environment);
  await expect
    .poll(() => endsOf(owner, again), { timeout: 30_000 })
    .toEqual([first! + 1, first! + 1, first! + 1]);
  const blobs = await blobsOf(owner);
  // Each once, and all owned by the owner
  expect(blobs.filter(({ endEpoch }) => endEpoch === first! + 1)).toHaveLength(3);
  expect(blobs).toHaveLength(6);
  expect(blobs.every(({ certified }) => certified)).toBe(true);

  await advanceEpoch(network);
  expect(await texts(owner, again)).toEqual(notes);
}

test('renews through a publisher', () => outlives({}), 180_000);

test('renews after a publisher failure, and does not mistake the expiring object for the new one', async () => {
  const publisher = await startFaultProxy(network.blobstoreUrl);
  const environment = { STORE_PUBLISHER_URL: publisher.url };
  const url = await startWith(environment);
  const owner = await createTestOwner(network);
  const client = owner.client(url);
  await client.rememberAndWait('note one');
  client.destroy();
  const [first] = await endsOf(owner, url);
  await advanceEpoch(network);
  publisher.fault = { method: 'PUT', kind: 503 };
  const again = await startWith(environment);
  await expect.poll(() => publisher.hits(), { timeout: 30_000 }).toBeGreaterThan(0);
  publisher.fault = undefined;
  await expect.poll(() => endsOf(owner, again), { timeout: 30_000 }).toEqual([first! + 1]);
  expect((await blobsOf(owner)).map(({ endEpoch }) => endEpoch).sort()).toEqual([first, first! + 1]);
  await publisher.close();
}, 180_000);

test('renews through a wallet of the server', async () => {
  const wallet = newTestKey();
  await askFaucet(network.chainUrl, wallet.address);
  await outlives({
    STORE_PUBLISHER_URL: '',
    STORE_UPLOAD_RELAY_URL: network.blobstoreUrl,
    SERVER_CHAIN_PRIVATE_KEYS: wallet.privateKey,
  });
}, 180_000);

test('warns, stores nothing again and deletes nothing when renewals are off', async () => {
  const url = await startWith({ STORE_RENEW_EPOCHS: 'off' });
  const owner = await createTestOwner(network);
  const client = owner.client(url);
  await client.rememberAndWait('note one');
  client.destroy();
  await advanceEpoch(network);
  const again = await startWith({ STORE_RENEW_EPOCHS: 'off' });
  await expect.poll(() => relayer!.logs(), { timeout: 30_000 }).toContain('STORE_RENEW_EPOCHS is off');
  await advanceEpoch(network);
  const late = owner.client(again);
  expect(await late.recall('note', { minScore: -1 })).toMatchObject({ results: [], droppedCount: 1 });
  expect((await late.memoriesPage()).memories).toHaveLength(1);
  late.destroy();
  expect(await blobsOf(owner)).toHaveLength(1);
}, 180_000);

test('does not renew a memory that was forgotten in the meantime', async () => {
  const url = await startWith({});
  const owner = await createTestOwner(network);
  const client = owner.client(url);
  const { jobId } = await client.rememberAndWait('note one');
  await client.rememberAndWait('note two');
  await client.forget({ ids: [jobId] });
  client.destroy();
  const stored = async () => (await blobsOf(owner)).length;
  // Two memories and a tombstone
  await expect.poll(stored, { timeout: 30_000 }).toBe(3);
  await advanceEpoch(network);
  const again = await startWith({});
  const renewed = async () => (await endsOf(owner, again)).length === 1 && (await stored());
  // And the renewed one; the forgotten blob expires together with its tombstone
  await expect.poll(renewed, { timeout: 30_000 }).toBe(4);
  expect(await texts(owner, again)).toEqual(['note two']);
}, 180_000);

test('renews a tombstone that expires before the forgotten blob, so that a restore omits the memory', async () => {
  const url = await startWith({ STORE_EPOCHS: '4' });
  const owner = await createTestOwner(network);
  const client = owner.client(url);
  const { jobId } = await client.rememberAndWait('note one');
  await client.rememberAndWait('note two');
  client.destroy();
  // From here on, stored blobs expire before the memories do
  const short = owner.client(await startWith({ STORE_EPOCHS: '1', STORE_RENEW_EPOCHS: '1' }));
  await short.forget({ ids: [jobId] });
  short.destroy();
  const ends = async () => (await blobsOf(owner)).map(({ endEpoch }) => endEpoch).sort((a, b) => a - b);
  await expect.poll(async () => (await ends()).length, { timeout: 30_000 }).toBe(3);
  const [first, last] = await ends();
  expect(last).toBe(first! + 3);
  await startWith({ STORE_EPOCHS: '4', STORE_RENEW_EPOCHS: '1' });
  await expect.poll(ends, { timeout: 30_000 }).toEqual([first, last, last, last]);
  await advanceEpoch(network);
  await relayer?.stop();
  await backend.drop();
  backend = { ...(await createTestBackend()), keys: backend.keys };
  const empty = owner.client(await startWith({}));
  expect(await empty.restore({ namespace: 'default' })).toMatchObject({ restored: 1 });
  empty.destroy();
  expect(await texts(owner, relayer!.url)).toEqual(['note two']);
}, 180_000);

test('lists both objects for deletion when a memory is forgotten during its renewal', async () => {
  const publisher = await startFaultProxy(network.blobstoreUrl);
  const environment = { STORE_PUBLISHER_URL: publisher.url };
  const url = await startWith(environment);
  const owner = await createTestOwner(network);
  const first = owner.client(url);
  const { jobId } = await first.rememberAndWait('note one');
  first.destroy();
  await advanceEpoch(network);
  publisher.fault = { method: 'PUT', kind: 'hold-answer' };
  const client = owner.client(await startWith(environment));
  await expect.poll(() => publisher.hits(), { timeout: 30_000 }).toBe(1);
  publisher.fault = undefined;
  expect(await client.forget({ ids: [jobId] })).toMatchObject({
    deleted: 1,
    blobsToDelete: [expect.any(String)],
  });
  publisher.release();
  const named = async () => (await client.forget({ ids: [jobId] })).blobsToDelete.toSorted();
  await expect.poll(async () => (await named()).length, { timeout: 30_000 }).toBe(2);
  const objects = (await blobsOf(owner)).map(({ objectId }) => objectId);
  expect(objects).toEqual(expect.arrayContaining(await named()));
  client.destroy();
  await publisher.close();
}, 180_000);
