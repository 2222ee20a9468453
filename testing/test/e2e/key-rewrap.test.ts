import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { permissions } from '@memrelay/chain/account-bcs';
import { rotateKeyEpoch, setRecoveryKey } from '@memrelay/chain/account-transactions';
import { ownedBlobs } from '@memrelay/chain/owned-blobs';
import { readWalrusNetwork } from '@memrelay/chain/walrus-network';
import { envelopeKind, parseHeader } from '@memrelay/envelope/header';
import { readNetwork } from '@memrelay/sdk/account/network';
import { type RecoveryKey, recoveryKey, wrapWithRecoveryKey } from '@memrelay/sdk/account/recovery';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import { SealClient } from '@mysten/seal';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { commandOf } from '../../src/memrelay-command.ts';
import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';
import { startTestNetwork, type TestNetwork } from '../../src/test-network.ts';
import { createTestOwner, newTestKey, type TestOwner } from '../../src/test-owner.ts';
import { startTestRelayer, type TestRelayer } from '../../src/test-relayer.ts';

/** Tests that memories stay readable through new wraps of their keys when key servers change or are lost. */
vi.setConfig({ testTimeout: 180_000 });

let network: TestNetwork;
let backend: TestBackend;
let relayer: TestRelayer;
/** Relayer environments: the initial pair of key servers, the committee with the pair as a historical set, the committee alone */
let before: NodeJS.ProcessEnv;
let during: NodeJS.ProcessEnv;
let after: NodeJS.ProcessEnv;

beforeAll(async () => {
  [network, backend] = await Promise.all([startTestNetwork(), createTestBackend()]);
  const servers = network.info.keyServers.map(({ objectId, weight }) => ({ objectId, weight }));
  const { objectId, weight, aggregatorUrl } = network.info.committee;
  before = {};
  after = { ENC_SERVER_CONFIGS: JSON.stringify([{ objectId, weight, aggregatorUrl }]) };
  during = { ...after, ENC_HISTORICAL_SETS: JSON.stringify([{ servers, threshold: 2 }]) };
});
afterEach(() => relayer?.stop());
afterAll(async () => {
  await Promise.all([network?.close(), backend?.drop()]);
});

async function startWith(environment: NodeJS.ProcessEnv): Promise<void> {
  await relayer?.stop();
  relayer = await startTestRelayer(network, { ...backend, environment });
}

/** Recall results of a client with a new session. */
async function recalled(owner: TestOwner, namespace: string): Promise<{ texts: string[]; dropped: number }> {
  const client = owner.client(relayer.url);
  const { results, droppedCount } = await client.recall('note', { minScore: -1, namespace, limit: 20 });
  client.destroy();
  return { texts: results.map(({ text }) => text).sort(), dropped: droppedCount ?? 0 };
}

async function store(client: MemRelay, namespace: string, texts: readonly string[]): Promise<void> {
  for (const text of texts) await client.rememberAndWait(text, { namespace });
}

async function recoveryFile({ privateKey }: RecoveryKey): Promise<string> {
  const path = join(network.dataDir, `${randomBytes(8).toString('hex')}.key`);
  await writeFile(path, Buffer.from(privateKey).toString('hex'), { mode: 0o600 });
  return path;
}

/** Headers of all envelopes that the owner has on chain. */
async function envelopesOf(owner: TestOwner) {
  const walrus = await readWalrusNetwork(network.chain, network.info.walrus.systemObjectId);
  const headers = [];
  for await (const { blobId } of ownedBlobs(network.chain, walrus, owner.wallet.address)) {
    const blob = await fetch(`${network.blobstoreUrl}/v1/blobs/${blobId}`);
    headers.push(parseHeader(new Uint8Array(await blob.arrayBuffer())));
  }
  return headers;
}

test('wraps keys for new key servers while the old ones respond, and reads without the old ones afterwards', async () => {
  await startWith(before);
  const [owner, other] = [await createTestOwner(network), await createTestOwner(network)];
  const client = owner.client(relayer.url);
  await store(client, 'work', ['note of work']);
  await store(client, 'home', ['note of home']);
  await owner.execute(rotateKeyEpoch(network.info.packageId, owner.accountId));
  await expect.poll(async () => (await client.account()).keyEpoch, { timeout: 10_000 }).toBe(1);
  await store(client, 'work', ['note of the second epoch']);
  await store(other.client(relayer.url), 'work', ['note of another account']);
  client.destroy();

  await startWith(during);
  const moving = owner.client(relayer.url);
  expect((await moving.keys()).map(({ current }) => current)).toEqual([false, false, false]);
  // Concurrently, as when two people run the command or one repeats it
  const calls = await Promise.all([moving.rewrapKeys(), moving.rewrapKeys()]);
  expect(calls.flatMap(({ failed }) => failed)).toEqual([]);
  const jobIds = calls.flatMap((call) => call.jobIds);
  expect(jobIds).toHaveLength(3);
  const outcomes = await moving.waitForJobs(jobIds);
  expect(outcomes.map(({ status }) => status)).toEqual(['done', 'done', 'done']);
  const keys = await moving.keys();
  expect(keys.map(({ current }) => current)).toEqual([true, true, true]);
  expect(await moving.rewrapKeys()).toEqual({ jobIds: [], failed: [] });
  moving.destroy();
  // The owner has them on chain as well: no memory depends on the database
  const rewraps = (await envelopesOf(owner)).filter(({ kind }) => kind === envelopeKind.rewrap);
  expect(rewraps.map(({ recipientPk }) => Buffer.from(recipientPk).toString('hex')).sort()).toEqual(
    keys.map(({ recipientPk }) => recipientPk).sort(),
  );

  await startWith(after);
  expect(await recalled(owner, 'work')).toEqual({
    texts: ['note of the second epoch', 'note of work'],
    dropped: 0,
  });
  expect(await recalled(owner, 'home')).toEqual({ texts: ['note of home'], dropped: 0 });
  // Without a rewrap nothing is readable, and nothing is deleted
  expect(await recalled(other, 'work')).toEqual({ texts: [], dropped: 1 });
  const late = other.client(relayer.url);
  const [key] = await late.keys();
  expect(await late.rewrapKeys()).toEqual({
    jobIds: [],
    failed: [{ recipientPk: key!.recipientPk, reason: 'foreign_wrap' }],
  });
  late.destroy();

  // Also on an empty database: the new wraps come from the chain alone, and stay for later reads
  await relayer.stop();
  const empty = { ...(await createTestBackend()), keys: backend.keys };
  try {
    relayer = await startTestRelayer(network, { ...empty, environment: after });
    const restoring = owner.client(relayer.url);
    expect(await restoring.restore({ namespace: 'work' })).toMatchObject({ restored: 2, total: 2 });
    restoring.destroy();
    expect(await recalled(owner, 'work')).toEqual({
      texts: ['note of the second epoch', 'note of work'],
      dropped: 0,
    });
  } finally {
    await relayer.stop();
    await empty.drop();
  }
});

test('restores access with the recovery key when the key servers are gone for good', async () => {
  await startWith(before);
  const owner = await createTestOwner(network);
  const recovery = recoveryKey();
  await owner.execute(setRecoveryKey(network.info.packageId, owner.accountId, recovery.publicKey));
  // As `memrelay key recovery` does: the new epoch shows when the relayer has seen the recovery key
  await owner.execute(rotateKeyEpoch(network.info.packageId, owner.accountId));
  const client = owner.client(relayer.url);
  await expect.poll(async () => (await client.account()).keyEpoch, { timeout: 10_000 }).toBe(1);
  await store(client, 'default', ['note one', 'note two']);
  await store(client, 'other', ['note three']);
  client.destroy();

  await startWith(after);
  expect(await recalled(owner, 'default')).toEqual({ texts: [], dropped: 2 });
  const run = await commandOf(network, owner, relayer.url);
  expect(await run('key', 'rewrap')).toMatchObject({
    code: 1,
    last: { error: 'keys_not_opened', message: expect.stringMatching(/ENC_HISTORICAL_SETS.*--recovery-key/) },
  });
  const [right, wrong] = await Promise.all([recoveryFile(recovery), recoveryFile(recoveryKey())]);
  expect(await run('key', 'rewrap', '--recovery-key', right)).toMatchObject({
    code: 2,
    last: { error: 'not_confirmed' },
  });
  expect(await run('key', 'rewrap', '--recovery-key', wrong, '--yes')).toMatchObject({ code: 1 });
  expect(await recalled(owner, 'default')).toEqual({ texts: [], dropped: 2 });
  expect(await run('key', 'rewrap', '--recovery-key', right, '--yes')).toMatchObject({
    code: 0,
    last: { keys: 2, rewrapped: 2, failed: [] },
  });
  expect(await recalled(owner, 'default')).toEqual({ texts: ['note one', 'note two'], dropped: 0 });
  expect(await recalled(owner, 'other')).toEqual({ texts: ['note three'], dropped: 0 });
  // The new envelopes can also be opened with the recovery key, so this works again later
  const rewraps = (await envelopesOf(owner)).filter(({ kind }) => kind === envelopeKind.rewrap);
  expect(rewraps.map(({ wraps }) => wraps.map(({ type }) => type))).toEqual([
    [1, 2],
    [1, 2],
  ]);
});

describe('rejects a wrap', () => {
  test('without the private half of the key that it names', async () => {
    await startWith(before);
    const owner = await createTestOwner(network);
    const recovery = recoveryKey();
    await owner.execute(setRecoveryKey(network.info.packageId, owner.accountId, recovery.publicKey));
    const client = owner.client(relayer.url);
    await store(client, 'first', ['note one']);
    await store(client, 'second', ['note two']);
    client.destroy();
    await startWith(after);
    const left = owner.client(relayer.url);
    const world = await readNetwork(relayer.url, fetch, network.info.packageId);
    const keys = await left.keys();
    const [first, second] = ['first', 'second'].map(
      (name) => keys.find(({ namespace }) => namespace === name)!,
    );
    // A valid wrap of another key, for this key's identity
    const { wrap } = await wrapWithRecoveryKey(world, owner.wallet.address, second!, recovery);
    const names = { recipientPk: first!.recipientPk };
    const wrong = [wrap, randomBytes(404), wrap.slice(0, -1)];
    for (const each of wrong) {
      const { jobIds, failed } = await left.rewrapKeys({ keys: [{ ...names, wrap: each }] });
      expect(jobIds).toEqual([]);
      expect(failed).toEqual([{ ...names, reason: expect.any(String) }]);
    }
    await expect(left.rewrapKeys({ keys: [{ recipientPk: '00'.repeat(32), wrap }] })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    left.destroy();
    expect(await recalled(owner, 'first')).toEqual({ texts: [], dropped: 1 });
  });

  test('of another private key, even if its session has opened the key before', async () => {
    await startWith(before);
    const owner = await createTestOwner(network);
    const client = owner.client(relayer.url);
    await store(client, 'default', ['note one']);
    client.destroy();
    await startWith(during);
    const moving = owner.client(relayer.url);
    expect((await moving.recall('note', { minScore: -1 })).results).toHaveLength(1);
    const [key] = await moving.keys();
    const { keyServers } = await readNetwork(relayer.url, fetch, network.info.packageId);
    const seal = new SealClient({ suiClient: network.chain.sui, serverConfigs: [...keyServers.servers] });
    // For the right identity and the right key servers, with the private half of another key
    const { encryptedObject } = await seal.encrypt({
      packageId: network.info.packageId,
      id: `${owner.wallet.address.slice(2)}${key!.tag}${'00'.repeat(8)}`,
      threshold: keyServers.threshold,
      data: randomBytes(32),
    });
    await moving.rewrapKeys({ keys: [{ recipientPk: key!.recipientPk, wrap: encryptedObject }] });
    await moving.rewrapKeys();
    moving.destroy();
    await startWith(after);
    expect(await recalled(owner, 'default')).toEqual({ texts: ['note one'], dropped: 0 });
  });

  test('from a delegate that may not both read and write there', async () => {
    await startWith(before);
    const owner = await createTestOwner(network);
    const client = owner.client(relayer.url);
    await store(client, 'work', ['note of work']);
    await store(client, 'home', ['note of home']);
    client.destroy();
    const [reader, worker] = [newTestKey(), newTestKey()];
    await owner.addDelegate(reader, { perms: permissions.read });
    await owner.addDelegate(worker, { namespaces: ['work'] });
    await startWith(during);
    const asReader = owner.client(relayer.url, { key: reader.privateKey });
    await expect(asReader.rewrapKeys()).rejects.toMatchObject({ code: 'insufficient_scope' });
    expect(await asReader.keys()).toHaveLength(2);
    asReader.destroy();
    const asWorker = owner.client(relayer.url, { key: worker.privateKey });
    expect((await asWorker.keys()).map(({ namespace }) => namespace)).toEqual(['work']);
    expect((await asWorker.rewrapKeys()).jobIds).toHaveLength(1);
    asWorker.destroy();
    const all = owner.client(relayer.url);
    const state = (await all.keys()).map(({ namespace, current }) => [namespace, current]);
    expect(Object.fromEntries(state)).toEqual({ work: true, home: false });
    all.destroy();
  });
});
