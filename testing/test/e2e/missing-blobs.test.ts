import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ownedBlobs } from '@memrelay/chain/owned-blobs';
import { readWalrusNetwork } from '@memrelay/chain/walrus-network';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import { extendBlobs } from 'memrelay/commands/blobs';
import { stats } from 'memrelay/commands/stats';
import { createOutput, type Output } from 'memrelay/terminal/output';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { advanceEpoch } from '../../src/advance-epoch.ts';
import { type FaultProxy, startFaultProxy } from '../../src/fault-proxy.ts';
import { commandOf } from '../../src/memrelay-command.ts';
import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';
import { startTestNetwork, type TestNetwork } from '../../src/test-network.ts';
import { createTestOwner, type TestOwner } from '../../src/test-owner.ts';
import { startTestRelayer, type TestRelayer } from '../../src/test-relayer.ts';

/** Tests expired and missing blobs: extended by the owner, marked lost, and recovered. */

let network: TestNetwork;
let backend: TestBackend;
let owner: TestOwner;
let aggregators: FaultProxy[];
let relayer: TestRelayer | undefined;
let client: MemRelay;
beforeAll(async () => {
  [network, backend] = await Promise.all([startTestNetwork(), createTestBackend()]);
  aggregators = [await startFaultProxy(network.blobstoreUrl), await startFaultProxy(network.blobstoreUrl)];
  owner = await createTestOwner(network);
});
afterAll(async () => {
  client?.destroy();
  await relayer?.stop();
  await Promise.all((aggregators ?? []).map((aggregator) => aggregator.close()));
  await Promise.all([network?.close(), backend?.drop()]);
});

/** A relayer that checks blobs at its start, reads from two aggregators and caches nothing. */
async function start(environment: NodeJS.ProcessEnv): Promise<void> {
  client?.destroy();
  await relayer?.stop();
  relayer = await startTestRelayer(network, {
    ...backend,
    environment: {
      STORE_AGGREGATOR_URL: aggregators[0]!.url,
      STORE_AGGREGATOR_URLS: aggregators[1]!.url,
      STORE_EPOCHS: '2',
      STORE_LOST_AFTER_SECS: '1',
      BLOB_CACHE_TTL_SECS: '0',
      ...environment,
    },
  });
  client = owner.client(relayer.url);
}

async function objectsOf(wanted: string): Promise<string[]> {
  const walrus = await readWalrusNetwork(network.chain, network.info.walrus.systemObjectId);
  const found = [];
  for await (const { objectId, blobId } of ownedBlobs(network.chain, walrus, owner.wallet.address))
    if (blobId === wanted) found.push(objectId);
  return found;
}

/** Runs a command without `--json` and returns its output; `options` name the owner's credentials and wallet. */
async function command(
  run: (output: Output, options: { credentials: string; wallet: string }) => Promise<void>,
): Promise<string[]> {
  const credentials = join(network.dataDir, `${owner.accountId}.json`);
  await commandOf(network, owner, relayer!.url);
  const wallet = join(network.dataDir, 'owner-key');
  await writeFile(wallet, owner.wallet.privateKey, { mode: 0o600 });
  const lines: string[] = [];
  const line = (text: string): void => void lines.push(text);
  await run(
    { ...createOutput({ json: true }), json: false, result: () => undefined, line },
    { credentials, wallet },
  );
  return lines;
}

const entries = async () => (await client.memoriesPage()).memories;
const entryOf = async (id: string) => (await entries()).find((memory) => memory.id === id)!;
const patience = { timeout: 30_000 };

test('keeps a blob that its owner extended, marks an expired one lost with a reason, and recovers it when its bytes return', async () => {
  await start({});
  const one = await client.rememberAndWait('note of tea');
  const { expiresEpoch: first } = await entryOf(one.jobId);
  const { expiry } = await client.stats();
  expect(expiry).toMatchObject({ epoch: first! - 2, soonCount: 1, firstEpoch: first, renewed: true });
  expect(await command((output, options) => stats(output, options))).toContain(
    `  npx memrelay blobs extend --until ${first} --epochs 51`,
  );
  const prolong = (until: number) =>
    command((output, options) =>
      extendBlobs(output, [], { ...options, until: String(until), epochs: '5', yes: true }, {}),
    );
  expect(await prolong(first! - 1)).toEqual([
    expect.stringMatching(new RegExp(`^Nothing ends by \\d{4}-\\d\\d-\\d\\d \\(epoch ${first! - 1}\\)\\.$`)),
  ]);
  const beyond = (epochs: string, ids: string[] = []) =>
    command((output, options) =>
      extendBlobs(output, ids, { ...options, all: ids.length === 0, epochs, yes: true }, {}),
    );
  await expect(beyond('52')).rejects.toThrow(
    /^Nothing was extended: .* 53 epochs ahead, so --epochs can be at most 51\.$/,
  );
  expect(await prolong(first!)).toContain('1 blob extended in 1 transaction.');
  await expect(beyond('47')).rejects.toThrow(/at most 46/);
  const two = await client.rememberAndWait('note of coffee', { namespace: 'other' });
  const envelope = await (await fetch(`${network.blobstoreUrl}/v1/blobs/${two.blobId}`)).arrayBuffer();

  // The owner's extension is read from the chain and not paid for again
  await advanceEpoch(network);
  await start({});
  await expect.poll(async () => (await entryOf(one.jobId)).expiresEpoch, patience).toBe(first! + 5);
  await expect.poll(async () => (await entryOf(two.jobId)).expiresEpoch, patience).toBe(first! + 1);
  expect(await objectsOf(one.blobId)).toHaveLength(1);
  expect(await objectsOf(two.blobId)).toHaveLength(2);

  // The other one expires without a renewal; one failing aggregator is enough to keep it from being marked lost
  await start({ STORE_RENEW_EPOCHS: 'off' });
  aggregators[1]!.fault = { method: 'GET', kind: 503 };
  await advanceEpoch(network);
  await advanceEpoch(network);
  await expect.poll(() => aggregators[1]!.hits(), patience).toBeGreaterThan(5);
  expect((await entries()).filter(({ lost }) => lost)).toEqual([]);
  aggregators[1]!.fault = undefined;
  await expect.poll(async () => (await entryOf(two.jobId)).lost, patience).toBe('expired');
  expect(await entryOf(two.jobId)).toMatchObject({ blobId: two.blobId, namespace: 'other' });
  expect(await client.stats()).toMatchObject({ memoryCount: 2, lost: { expired: 1 } });
  expect(await client.recall('note of coffee', { minScore: -1, namespace: 'other' })).toMatchObject({
    results: [],
    droppedCount: 1,
  });
  expect((await client.recall('note of tea')).results).toMatchObject([{ text: 'note of tea' }]);
  const listed = async () =>
    (await client.memoriesPage({ texts: true })).memories.map(({ text, error }) => text ?? error);
  expect(await listed()).toEqual(['lost', 'note of tea']);
  for (const each of aggregators) each.fault = { method: 'GET', kind: 503 };
  expect(await listed()).toEqual(['lost', 'unavailable']);
  for (const each of aggregators) each.fault = undefined;

  // Its text is not deduplicated against a missing blob
  const again = await client.rememberAndWait('note of coffee', { namespace: 'other' });
  expect(again.deduplicated).toBeUndefined();
  expect(again.blobId).not.toBe(two.blobId);

  // Storing the same bytes again recovers it
  const stored = await fetch(
    `${network.blobstoreUrl}/v1/blobs?epochs=5&send_object_to=${owner.wallet.address}`,
    {
      method: 'PUT',
      body: envelope,
    },
  );
  expect(stored.status).toBe(200);
  await expect.poll(async () => (await entryOf(two.jobId)).lost, patience).toBeUndefined();
  const { results, droppedCount } = await client.recall('note of coffee', {
    minScore: -1,
    namespace: 'other',
  });
  expect(droppedCount).toBeUndefined();
  expect(results.map(({ blobId }) => blobId).sort()).toEqual([two.blobId, again.blobId].sort());

  expect(await client.stats()).not.toHaveProperty('lost');
}, 180_000);
