import { deleteBlobs } from '@memrelay/chain/blob-transactions';
import { type OwnedBlob, ownedBlobs } from '@memrelay/chain/owned-blobs';
import { readWalrusNetwork } from '@memrelay/chain/walrus-network';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import { askFaucet } from 'memrelay/system/network-info';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { advanceEpoch } from '../../src/advance-epoch.ts';
import { type FaultProxy, startFaultProxy } from '../../src/fault-proxy.ts';
import { endLeases } from '../../src/pass-time.ts';
import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';
import { startTestNetwork, type TestNetwork } from '../../src/test-network.ts';
import { createTestOwner, newTestKey, type TestOwner } from '../../src/test-owner.ts';
import { startTestRelayer, type TestRelayer } from '../../src/test-relayer.ts';

/** Tests that memories that wait together are stored as one quilt, even after crashes, and that nothing is paid twice. */

let network: TestNetwork;
let backend: TestBackend;
let store: FaultProxy;
beforeAll(async () => {
  [network, backend] = await Promise.all([startTestNetwork(), createTestBackend()]);
  store = await startFaultProxy(network.blobstoreUrl);
});
afterAll(async () => {
  await store?.close();
  await Promise.all([network?.close(), backend?.drop()]);
});

const wallet = newTestKey();
const payers: [string, NodeJS.ProcessEnv, 'PUT' | 'POST', 'hold-answer' | 'hold-request'][] = [
  ['a publisher', {}, 'PUT', 'hold-answer'],
  [
    'a wallet of the server',
    { STORE_PUBLISHER_URL: '', SERVER_CHAIN_PRIVATE_KEYS: wallet.privateKey },
    'POST',
    'hold-request',
  ],
];
const texts = Array.from({ length: 12 }, (_, i) => `note ${String(i).padStart(2, '0')}`);

async function blobsOf(address: string): Promise<OwnedBlob[]> {
  const walrus = await readWalrusNetwork(network.chain, network.info.walrus.systemObjectId);
  const blobs = [];
  for await (const blob of ownedBlobs(network.chain, walrus, address)) blobs.push(blob);
  return blobs;
}

/** The id of the blob that an id refers to, or that contains its patch. */
const blobOf = (id: string): string => Buffer.from(id, 'base64url').subarray(0, 32).toString('base64url');

async function recalled(client: MemRelay): Promise<string[]> {
  const { results } = await client.recall('note', { minScore: -1, limit: 50 });
  return results.map(({ text }) => text).sort();
}

describe.each(payers)('paid by %s', (_payer, environment, method, fault) => {
  let relayer: TestRelayer;
  let owner: TestOwner;
  let client: MemRelay;
  beforeAll(async () => {
    await askFaucet(network.chainUrl, wallet.address);
    const ours = {
      STORE_PUBLISHER_URL: store.url,
      STORE_UPLOAD_RELAY_URL: store.url,
      STORE_EPOCHS: '2',
      STORE_QUILT_MAX_ITEMS: '20',
      STORE_QUILT_WINDOW_MS: '300',
      STORE_REPACK_AFTER_SECS: '1',
      BLOB_CACHE_TTL_SECS: '0',
    };
    relayer = await startTestRelayer(network, { ...backend, environment: { ...ours, ...environment } });
  });
  afterAll(() => relayer?.stop());
  beforeEach(async () => {
    owner = await createTestOwner(network);
    client = owner.client(relayer.url);
    return () => client.destroy();
  });

  test('stores a bulk as one quilt, even if the relayer is killed during the upload', async () => {
    store.fault = { method, kind: fault };
    const { jobIds } = await client.rememberBulk(texts.map((text) => ({ text })));
    await store.hit();
    await relayer.kill();
    await endLeases(relayer);
    store.fault = undefined;
    store.release();
    await relayer.start();
    const outcomes = await client.waitForJobs(jobIds);
    const ids = outcomes.map(({ blobId }) => blobId!);
    expect(new Set(ids).size).toBe(texts.length);
    expect(ids.every((id) => /^[A-Za-z0-9_-]{50}$/.test(id))).toBe(true);
    const blobs = await blobsOf(owner.wallet.address);
    expect(blobs.map(({ blobId }) => blobId)).toEqual([blobOf(ids[0]!)]);
    expect(new Set(ids.map(blobOf)).size).toBe(1);
    // A leftover of the killed upload in the wallet would have been paid for as well
    expect(await blobsOf(wallet.address)).toEqual([]);
    expect(await recalled(client)).toEqual(texts);
  });

  // Does not depend on the payer, so it is tested once
  if (method === 'PUT')
    test('repacks the rest of a quilt when one memory is forgotten, and deleting the old quilt loses none of them', async () => {
      const stored = await client.rememberBulkAndWait(texts.map((text) => ({ text })));
      const [first, ...rest] = stored.map(({ jobId }) => jobId);
      const [before] = await blobsOf(owner.wallet.address);
      expect(await client.forget({ ids: [first!] })).toEqual({
        deleted: 1,
        blobsToDelete: [],
        blobsShared: 1,
        blobsSharedUntil: expect.stringMatching(/Z$/),
      });
      const named = async () => (await client.forget({ ids: [first!] })).blobsToDelete;
      await expect.poll(named, { timeout: 30_000 }).toEqual([before!.objectId]);
      const after = (await blobsOf(owner.wallet.address)).filter(({ blobId }) => blobId !== before!.blobId);
      const jobs = await client.jobs(rest);
      // The new quilt, and the tombstone
      expect(after).toHaveLength(2);
      expect(new Set(jobs.map((job) => blobOf(job.blobId!))).size).toBe(1);
      expect(after.map(({ blobId }) => blobId)).toContain(blobOf(jobs[0]!.blobId!));

      const walrus = await readWalrusNetwork(network.chain, network.info.walrus.systemObjectId);
      await owner.execute(deleteBlobs(walrus, await named(), owner.wallet.address));
      expect(await recalled(client)).toEqual(texts.slice(1));
      const forgetSecond = () => client.forget({ ids: [stored[1]!.blobId!] });
      expect(await forgetSecond(), 'by the id that it had').toMatchObject({ deleted: 1 });
      // The remaining memories are repacked before the quilt may be deleted
      await expect
        .poll(async () => (await forgetSecond()).blobsToDelete.length, { timeout: 30_000 })
        .toBeGreaterThan(0);
    });

  if (method === 'POST')
    test('renews an expiring quilt as the same quilt', async () => {
      await client.rememberBulkAndWait(texts.map((text) => ({ text })));
      const [before] = await blobsOf(owner.wallet.address);
      await advanceEpoch(network);
      await relayer.stop();
      await relayer.start();
      const ends = async () => (await client.memoriesPage()).memories.map(({ expiresEpoch }) => expiresEpoch);
      const later = new Array<number>(texts.length).fill(before!.endEpoch + 1);
      await expect.poll(ends, { timeout: 30_000 }).toEqual(later);
      const blobs = await blobsOf(owner.wallet.address);
      expect(blobs.map(({ blobId }) => blobId)).toEqual([before!.blobId, before!.blobId]);
      expect(await recalled(client)).toEqual(texts);
    });
});
