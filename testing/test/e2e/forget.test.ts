import { randomUUID } from 'node:crypto';
import { permissions } from '@memrelay/chain/account-bcs';
import { readAccount } from '@memrelay/chain/account-reader';
import { parsePrivateKey } from '@memrelay/chain/key-file';
import { ownedBlobs } from '@memrelay/chain/owned-blobs';
import { readWalrusNetwork } from '@memrelay/chain/walrus-network';
import { type EnvelopeHeader, envelopeKind, parseHeader } from '@memrelay/envelope/header';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { openBody } from '@memrelay/envelope/open-envelope';
import { AccountOwner } from '@memrelay/sdk/account/account-owner';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import { createClient } from '@redis/client';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { EmbeddingProvider } from '../../src/embedding-provider.ts';
import type { FaultProxy } from '../../src/fault-proxy.ts';
import { type FaultyWorld, startFaultyWorld } from '../../src/faulty-world.ts';
import { commandOf } from '../../src/memrelay-command.ts';
import { rawRequest } from '../../src/raw-request.ts';
import { createSealReader } from '../../src/seal-reader.ts';
import type { TestBackend } from '../../src/test-backend.ts';
import type { TestNetwork } from '../../src/test-network.ts';
import { createTestOwner, newTestKey, type TestKey, type TestOwner } from '../../src/test-owner.ts';
import type { TestRelayer } from '../../src/test-relayer.ts';

/**
 * Tests that forgotten memories are removed from recall, the database and the caches, and that a later restore from the chain
 * skips them.
 */

let world: FaultyWorld;
let network: TestNetwork;
let backend: TestBackend;
let provider: EmbeddingProvider;
let publisher: FaultProxy;
let relayer: TestRelayer;
let owner: TestOwner;
let client: MemRelay;

beforeAll(async () => {
  world = await startFaultyWorld();
  ({ network, backend, provider, publisher, relayer } = world);
});
afterAll(() => world?.close());
beforeEach(async () => {
  world.heal();
  owner = await createTestOwner(network);
  client = owner.client(relayer.url);
});

async function store(
  texts: readonly string[],
  namespace?: string,
): Promise<{ jobId: string; blobId: string }[]> {
  const { jobIds } = await client.rememberBulk(
    texts.map((text) => ({ text, ...(namespace ? { namespace } : {}) })),
  );
  const outcomes = await client.waitForJobs(jobIds);
  return outcomes.map(({ jobId, blobId }) => ({ jobId, blobId: blobId! }));
}

async function texts(namespace?: string): Promise<string[]> {
  const { results } = await client.recall('note', {
    minScore: -1,
    limit: 50,
    ...(namespace ? { namespace } : {}),
  });
  return results.map(({ text }) => text).sort();
}

async function objectsOf({ wallet }: TestOwner): Promise<{ objectId: string; blobId: string }[]> {
  const walrus = await readWalrusNetwork(network.chain, network.info.walrus.systemObjectId);
  const found = [];
  for await (const { objectId, blobId } of ownedBlobs(network.chain, walrus, wallet.address))
    found.push({ objectId, blobId });
  return found;
}

const blob = (blobId: string) => fetch(`${network.blobstoreUrl}/v1/blobs/${blobId}`);

/** The owner's tombstones on chain, opened with the owner's wallet and trusted as a restore would. */
async function tombstonesOf(of: TestOwner): Promise<{ header: EnvelopeHeader; supersedes: string[] }[]> {
  const state = await readAccount(network.chain, network.info.packageId, of.accountId);
  const account = { accountId: of.accountId, initialSharedVersion: state!.initialSharedVersion };
  const reader = await createSealReader(network, of.wallet.privateKey, account);
  const writer = nodePrimitives.ed25519PublicKey(Buffer.from(backend.keys.MEM_WRITER_KEYS, 'hex'));
  const trusted = new Set([Buffer.from(writer).toString('hex')]);
  const found = [];
  for (const { blobId } of await objectsOf(of)) {
    const bytes = new Uint8Array(await (await blob(blobId)).arrayBuffer());
    const header = parseHeader(bytes, bytes.length);
    if (header.kind !== envelopeKind.tombstone) continue;
    const { meta, text } = openBody(
      nodePrimitives,
      { header, bytes },
      await reader.privateKeyOf(bytes),
      trusted,
    );
    expect(text).toBe('');
    found.push({ header, supersedes: meta.supersedes! });
  }
  return found;
}

async function envelopeIdOf(blobId: string): Promise<string> {
  const bytes = new Uint8Array(await (await blob(blobId)).arrayBuffer());
  return Buffer.from(parseHeader(bytes, bytes.length).envelopeId).toString('hex');
}

/** Whether the shared cache contains the ciphertext; without Redis this cannot be checked. */
async function isCached(blobId: string): Promise<boolean> {
  if (!backend.redisUrl) return false;
  const redis = createClient({ url: backend.redisUrl });
  await redis.connect();
  const found = await redis.exists(`memrelay:blob:v1:${blobId}`);
  redis.destroy();
  return found > 0;
}

/** Tables, if the database is accessible, in which any row contains this memory's id. */
async function tablesWith(id: string): Promise<string[]> {
  if (backend.name !== 'postgres') return [];
  const db = new Client({ connectionString: backend.databaseUrl });
  await db.connect();
  try {
    const { rows } = await db.query<{ name: string }>(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1",
    );
    const found = [];
    for (const { name } of rows) {
      const hits = await db.query(`SELECT 1 FROM ${name} AS r WHERE r::text LIKE $1 LIMIT 1`, [`%${id}%`]);
      if (hits.rowCount) found.push(name);
    }
    return found;
  } finally {
    await db.end();
  }
}

test('keeps a stored tombstone after kill -9 of the relayer', async () => {
  const [stored] = await store(['note before the crash']);
  publisher.fault = { method: 'PUT', kind: 503 };
  expect((await client.forget({ ids: [stored!.blobId] })).deleted).toBe(1);
  await relayer.kill();
  publisher.fault = undefined;
  await relayer.start();
  await expect.poll(async () => (await tombstonesOf(owner)).length, { timeout: 30_000 }).toBe(1);
  expect(await texts()).toEqual([]);
});

test('previews the number of memories, lists unknown ids, and removes nothing', async () => {
  const [first, second] = await store(['note one', 'note two']);
  // Its id names the first memory, and counts once with it
  const known = await client.rememberAndWait('note one');
  const stranger = randomUUID();
  const other = 'A'.repeat(43);
  const preview = (ids: string[], namespace?: string) =>
    client.forget({ ids, dryRun: true, ...(namespace ? { namespace } : {}) });
  const ids = [first!.jobId.toUpperCase(), first!.blobId, stranger, second!.blobId, other, known.jobId];
  expect(await preview(ids)).toEqual({ deleted: 2, blobsToDelete: [], unknown: [stranger, other] });
  expect(await preview([first!.jobId], 'work')).toMatchObject({ deleted: 0, unknown: [first!.jobId] });
  expect(await texts()).toEqual(['note one', 'note two']);
  await client.forget({ ids: [first!.jobId] });
  expect(await preview([first!.jobId, first!.blobId])).toMatchObject({ deleted: 0, unknown: [] });
  const foreign = (await createTestOwner(network)).client(relayer.url);
  expect(await foreign.forget({ ids: [second!.jobId, second!.blobId], dryRun: true })).toMatchObject({
    deleted: 0,
    unknown: [second!.jobId, second!.blobId],
  });
  foreign.destroy();
  await expect(client.forget({ namespace: 'default', dryRun: true })).rejects.toMatchObject({
    code: 'invalid_argument',
  });
});

test('removes a memory at once, gives its tombstone to the owner, and lets the owner delete its blob', async () => {
  const [first, second] = await store(['note one', 'note two']);
  expect(await texts()).toEqual(['note one', 'note two']);
  const envelopeId = await envelopeIdOf(first!.blobId);
  expect(await isCached(first!.blobId)).toBe(backend.redisUrl !== undefined);
  const answer = await client.forget({ ids: [first!.jobId, randomUUID()] });
  expect(await isCached(first!.blobId)).toBe(false);
  expect(await tablesWith(first!.jobId)).toEqual(
    backend.name === 'postgres' ? ['audit_entry', 'deleted_memory', 'forgotten_memory'] : [],
  );
  expect(await texts()).toEqual(['note two']);
  await expect(client.job(first!.jobId)).rejects.toMatchObject({ code: 'job_not_found' });
  expect((await client.memoriesPage()).memories.map(({ id }) => id)).toEqual([second!.jobId]);
  expect(await client.stats()).toMatchObject({ memoryCount: 1 });
  const object = (await objectsOf(owner)).find(({ blobId }) => blobId === first!.blobId)!;
  expect(answer).toEqual({ deleted: 1, blobsToDelete: [object.objectId] });
  // The response can be requested again if it was lost, by any of the ids
  for (const id of [first!.jobId, first!.blobId])
    expect(await client.forget({ ids: [id] })).toEqual({ deleted: 0, blobsToDelete: [object.objectId] });

  await expect.poll(async () => (await tombstonesOf(owner)).length, { timeout: 20_000 }).toBe(1);
  expect((await tombstonesOf(owner))[0]!.supersedes).toEqual([envelopeId]);
  const wallet = await AccountOwner.connect({
    serverUrl: relayer.url,
    signer: parsePrivateKey(owner.wallet.privateKey),
  });
  for await (const done of wallet.deleteBlobs(answer.blobsToDelete)) expect(done.count).toBe(1);
  expect((await objectsOf(owner)).map(({ objectId }) => objectId)).not.toContain(object.objectId);

  // The same text stored later is a new memory, not a duplicate of the forgotten one
  const again = await client.rememberAndWait('note one');
  expect(again.deduplicated).toBeUndefined();
  expect(await texts()).toEqual(['note one', 'note two']);
});

test('forgets a whole namespace and nothing outside it', async () => {
  const many = Array.from({ length: 25 }, (_, i) => `note ${i} of work`);
  const stored = await store(many, 'work');
  await store(['note of home'], 'home');
  const stranger = await createTestOwner(network);
  const theirs = stranger.client(relayer.url);
  const kept = await theirs.rememberAndWait('note of a stranger', { namespace: 'work' });

  // Ids of another account or namespace match nothing here
  expect(await client.forget({ namespace: 'work', ids: [kept.jobId] })).toEqual({
    deleted: 0,
    blobsToDelete: [],
  });
  expect(await client.forget({ namespace: 'home', ids: [stored[0]!.jobId] })).toEqual({
    deleted: 0,
    blobsToDelete: [],
  });
  const envelopeIds = await Promise.all(stored.map(({ blobId }) => envelopeIdOf(blobId)));
  const { deleted, blobsToDelete } = await client.forget({ namespace: 'work' });
  expect([deleted, new Set(blobsToDelete).size]).toEqual([25, 25]);
  expect(await texts('work')).toEqual([]);
  expect(await texts('home')).toEqual(['note of home']);
  expect((await client.namespaces()).map(({ namespace }) => namespace)).toEqual(['home']);
  expect((await theirs.recall('note', { minScore: -1, namespace: 'work' })).results).toHaveLength(1);
  // The response can be requested again if it was lost
  const again = await client.forget({ namespace: 'work' });
  expect([again.deleted, again.blobsToDelete.toSorted()]).toEqual([0, blobsToDelete.toSorted()]);
  expect(await client.forget({ namespace: 'elsewhere' })).toEqual({ deleted: 0, blobsToDelete: [] });
  await expect.poll(async () => (await tombstonesOf(owner)).length, { timeout: 20_000 }).toBe(1);
  expect((await tombstonesOf(owner))[0]!.supersedes.toSorted()).toEqual(envelopeIds.toSorted());
  theirs.destroy();
});

test('forgets a whole namespace only by its name, not when the body lost its fields', async () => {
  await store(['note that stays']);
  const request = { path: '/api/forget', accountId: owner.accountId };
  for (const body of [undefined, {}, { name: 'default' }]) {
    const answer = await rawRequest(relayer.url, owner.delegate, { ...request, body });
    expect(answer.body).toMatchObject({
      error: 'invalid_request',
      details: { issues: [{ path: 'namespace' }] },
    });
  }
  expect(await texts()).toEqual(['note that stays']);
  expect((await client.forget({ namespace: 'default' })).deleted).toBe(1);
});

describe('an unfinished memory', () => {
  test('is forgotten with all its duplicates, regardless of their number', async () => {
    provider.fault = 503;
    const many = Array.from({ length: 150 }, (_, i) => ({ text: `note ${i}` }));
    await client.rememberBulk([...many, ...many]);
    expect(await client.forget({ namespace: 'default' })).toMatchObject({ deleted: 300 });
    provider.fault = undefined;
    await expect
      .poll(async () => (await tombstonesOf(owner)).flatMap(({ supersedes }) => supersedes).length, {
        timeout: 20_000,
      })
      .toBe(300);
  });

  test('is never stored, nor are its duplicates, when it is forgotten before it was embedded', async () => {
    provider.fault = 503;
    const { jobId } = await client.remember('note that waits');
    const { jobId: repeated } = await client.remember('note that waits');
    await expect.poll(async () => (await client.job(jobId)).errorCode).toBe('embedding_unavailable');
    expect((await client.forget({ ids: [jobId] })).deleted).toBe(2);
    provider.fault = undefined;
    for (const id of [jobId, repeated])
      await expect(client.job(id)).rejects.toMatchObject({ code: 'job_not_found' });
    await store(['note that comes later']);
    expect(await texts()).toEqual(['note that comes later']);
    await expect.poll(async () => (await tombstonesOf(owner)).length, { timeout: 20_000 }).toBe(1);
    expect((await tombstonesOf(owner))[0]!.supersedes).toHaveLength(2);
  });

  test('is forgotten with everything, even in a namespace without stored memories', async () => {
    provider.fault = 503;
    const { jobId } = await client.remember('note that waits', { namespace: 'not yet' });
    expect(await client.namespaces()).toEqual([]);
    const memrelay = await commandOf(network, owner, relayer.url);
    expect(await memrelay('forget', '--everything', '--yes')).toEqual({
      code: 0,
      last: { deleted: 1, namespaces: ['not yet'], blobs_to_delete: [] },
    });
    await expect(client.job(jobId)).rejects.toMatchObject({ code: 'job_not_found' });
  });

  test('is forgotten with everything in one SDK call, which takes no namespace', async () => {
    await store(['note of work'], 'work');
    await store(['note of home'], 'home');
    const memrelay = await commandOf(network, owner, relayer.url);
    expect(await memrelay('forget', '--everything', '--namespace', 'work', '--yes')).toMatchObject({
      code: 2,
    });
    expect(await client.stats()).toMatchObject({ memoryCount: 2 });
    const gone = await client.forgetEverything();
    expect(gone).toMatchObject({ deleted: 2, blobsToDelete: [expect.any(String), expect.any(String)] });
    expect(await client.stats()).toMatchObject({ memoryCount: 0 });
    // The response can be requested again if it was lost
    expect((await client.forgetEverything()).blobsToDelete.toSorted()).toEqual(gone.blobsToDelete.toSorted());
    const limited = newTestKey();
    await owner.addDelegate(limited, { namespaces: ['work'] });
    const asLimited = owner.client(relayer.url, { key: limited.privateKey });
    await expect
      .poll(() => asLimited.forgetEverything().catch(({ code }: { code: string }) => code), {
        timeout: 10_000,
      })
      .toBe('insufficient_scope');
    asLimited.destroy();
  });

  test('is forgotten by the id of a job with the same text, along with that job', async () => {
    const [first] = await store(['note that is known']);
    const { jobId } = await client.remember('note that is known');
    expect(await client.waitForJob(jobId)).toMatchObject({ blobId: first!.blobId, deduplicated: true });
    const { jobId: third } = await client.remember('note that is known');
    await client.waitForJob(third);
    expect((await client.forget({ ids: [jobId] })).deleted).toBe(1);
    for (const id of [first!.jobId, jobId, third])
      await expect(client.job(id)).rejects.toMatchObject({ code: 'job_not_found' });
    expect(await texts()).toEqual([]);
  });

  test('is listed for deletion when its blob arrives after it was forgotten', async () => {
    publisher.fault = { method: 'PUT', kind: 'hold-answer' };
    const before = publisher.hits();
    const { jobId } = await client.remember('note under way');
    await expect.poll(() => publisher.hits(), { timeout: 20_000 }).toBe(before + 1);
    publisher.fault = undefined;
    expect(await client.forget({ ids: [jobId] })).toEqual({ deleted: 1, blobsToDelete: [] });
    publisher.release();
    await expect
      .poll(async () => (await client.forget({ ids: [jobId] })).blobsToDelete, { timeout: 20_000 })
      .toHaveLength(1);
    expect(await texts()).toEqual([]);
    expect(await client.stats()).toMatchObject({ memoryCount: 0 });
  });
});

describe('a delegate', () => {
  const as = (key: TestKey) => owner.client(relayer.url, { key: key.privateKey });
  async function delegate(scope: Parameters<TestOwner['addDelegate']>[1]): Promise<MemRelay> {
    const key = newTestKey();
    await owner.addDelegate(key, scope);
    const its = as(key);
    await expect
      .poll(async () => (await its.account().catch(() => undefined))?.active, { timeout: 10_000 })
      .toBe(true);
    return its;
  }

  test('previews with FORGET alone, and only in its namespaces', async () => {
    await store(['a note'], 'work');
    const cleaner = await delegate({ perms: permissions.forget, namespaces: ['work'] });
    const asked = { ids: [randomUUID()], dryRun: true };
    expect(await cleaner.forget({ ...asked, namespace: 'work' })).toMatchObject({ unknown: asked.ids });
    await expect(cleaner.forget({ ...asked, namespace: 'home' })).rejects.toMatchObject({
      code: 'insufficient_scope',
    });
  });

  test('forgets with FORGET alone, and only in its namespaces', async () => {
    await store(['note of work'], 'work');
    await store(['note of home'], 'home');
    const writer = await delegate({ perms: permissions.read | permissions.write });
    await expect(writer.forget({ namespace: 'work' })).rejects.toMatchObject({ code: 'insufficient_scope' });
    const cleaner = await delegate({ perms: permissions.forget, namespaces: ['work'] });
    await expect(cleaner.forget({ namespace: 'home' })).rejects.toMatchObject({ code: 'insufficient_scope' });
    expect(await cleaner.forget({ namespace: 'work' })).toMatchObject({ deleted: 1 });
    expect([await texts('work'), await texts('home')]).toEqual([[], ['note of home']]);
    writer.destroy();
    cleaner.destroy();
  });
});
