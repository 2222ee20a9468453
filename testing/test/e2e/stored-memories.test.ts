import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { permissions } from '@memrelay/chain/account-bcs';
import { addDelegateKeyScoped, rotateKeyEpoch } from '@memrelay/chain/account-transactions';
import { delegateProofMessage } from '@memrelay/chain/delegate-key';
import { parsePrivateKey } from '@memrelay/chain/key-file';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import { retry } from 'memrelay/commands/retry';
import { createOutput } from 'memrelay/terminal/output';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { EmbeddingProvider } from '../../src/embedding-provider.ts';
import type { FaultProxy } from '../../src/fault-proxy.ts';
import { type FaultyWorld, startFaultyWorld } from '../../src/faulty-world.ts';
import { rawRequest } from '../../src/raw-request.ts';
import type { TestNetwork } from '../../src/test-network.ts';
import { createTestOwner, newTestKey, type TestKey, type TestOwner } from '../../src/test-owner.ts';
import type { TestRelayer } from '../../src/test-relayer.ts';

/** Tests data about an account's memories that needs no decryption: lists, duplicates, and failed jobs. */

let world: FaultyWorld;
let network: TestNetwork;
let provider: EmbeddingProvider;
let publisher: FaultProxy;
let relayer: TestRelayer;
let owner: TestOwner;
let client: MemRelay;

beforeAll(async () => {
  world = await startFaultyWorld();
  ({ network, provider, publisher, relayer } = world);
  owner = await createTestOwner(network);
  client = owner.client(relayer.url);
});
afterAll(async () => {
  client?.destroy();
  await world?.close();
});
beforeEach(() => world.heal());

const call = (key: TestKey, path: string, body: unknown = {}) =>
  rawRequest(relayer.url, key, { path, body, accountId: owner.accountId });

/** A delegate that the relayer knows already. */
async function delegate(scope: Parameters<TestOwner['addDelegate']>[1]): Promise<TestKey> {
  const key = newTestKey();
  await owner.addDelegate(key, scope);
  await known(key);
  return key;
}
const known = (key: TestKey) =>
  expect
    .poll(async () => (await owner.client(relayer.url, { key: key.privateKey }).account()).active, {
      timeout: 10_000,
    })
    .toBe(true);

async function blobsOfOwner(): Promise<number> {
  const { objects } = await network.chain.sui.core.listOwnedObjects({
    owner: owner.wallet.address,
    type: `${network.info.walrus.packageId}::blob::Blob`,
  });
  return objects.length;
}
async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
const vectorsMade = (text: string) => provider.texts.filter((embedded) => embedded === text).length;

describe('lists', () => {
  test('show what was stored, where it is and when it expires', async () => {
    const namespace = 'listed';
    const stored = await client.rememberAndWait('the first of two', { namespace });
    await client.rememberAndWait('the second of two', { namespace });
    const entries = await all(client.memories({ namespace, limit: 1 }));
    expect(entries.length).toBe(2);
    const blob = await fetch(`${network.blobstoreUrl}/v1/blobs/${stored.blobId}`);
    const size = (await blob.arrayBuffer()).byteLength;
    expect(entries[1]).toEqual({
      id: stored.jobId,
      blobId: stored.blobId,
      namespace,
      createdAt: expect.stringMatching(/^\d{4}-.+Z$/),
      size,
      importance: 0.5,
      expiresEpoch: expect.any(Number),
    });
    expect(entries[1]!.expiresEpoch).toBeGreaterThan(1);
    const own = (await client.namespaces()).find((entry) => entry.namespace === namespace);
    expect(own).toMatchObject({
      memoryCount: 2,
      oldest: entries[1]!.createdAt,
      newest: entries[0]!.createdAt,
    });
    expect(await client.stats()).toMatchObject({ staleCount: 0, jobs: { running: 0, failed: 0 } });
  });

  test('show a key only the namespaces of its scope, and nothing to one without READ', async () => {
    await client.rememberAndWait('for the office', { namespace: 'office' });
    await client.rememberAndWait('for nobody else', { namespace: 'diary' });
    const limited = owner.client(relayer.url, {
      key: (await delegate({ perms: permissions.read, namespaces: ['office'] })).privateKey,
    });
    const entries = await all(limited.memories());
    expect(entries.map(({ namespace }) => namespace)).toEqual(['office']);
    expect((await limited.namespaces()).map(({ namespace }) => namespace)).toEqual(['office']);
    expect(await limited.stats()).toMatchObject({ memoryCount: 1 });
    await expect(limited.memoriesPage({ namespace: 'diary' })).rejects.toMatchObject({
      code: 'insufficient_scope',
    });
    const writer = await delegate({ perms: permissions.write });
    for (const path of ['/api/memories', '/api/namespaces', '/api/stats'])
      expect(await call(writer, path)).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } });
    const stranger = await createTestOwner(network);
    expect(await all(stranger.client(relayer.url).memories())).toEqual([]);
  });

  test.each([{ limit: -1 }, { limit: 1.5 }, { cursor: 'AAAA' }, { cursor: 5 }, { namespace: '' }])(
    'reject %o',
    async (body) => {
      const answer = await call(owner.delegate, '/api/memories', body);
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
      expect(answer.body.details.issues[0].path).toBe(Object.keys(body)[0]);
    },
  );
});

describe('a duplicate text', () => {
  test('is stored once, regardless of how often and how close together it is sent', async () => {
    const namespace = 'once';
    const text = 'said again and again';
    const before = await blobsOfOwner();
    const items = Array.from({ length: 5 }, () => ({ text, namespace }));
    const [bulk, ...single] = await Promise.all([
      client.rememberBulk(items),
      ...Array.from({ length: 5 }, () => client.remember(text, { namespace })),
    ]);
    const ids = [...bulk.jobIds, ...single.map(({ jobId }) => jobId)];
    const outcomes = await client.waitForJobs(ids);
    expect(new Set(outcomes.map(({ blobId }) => blobId)).size).toBe(1);
    expect(outcomes.filter(({ deduplicated }) => deduplicated).length).toBe(9);
    const later = await client.rememberAndWait(text, { namespace });
    expect(later).toMatchObject({ blobId: outcomes[0]!.blobId, deduplicated: true });
    expect([await blobsOfOwner(), vectorsMade(text)]).toEqual([before + 1, 1]);
    const { results } = await client.recall('again', { minScore: -1, namespace });
    expect(results.map((hit) => hit.text)).toEqual([text]);
    expect((await all(client.memories({ namespace }))).length).toBe(1);
    // Another namespace and another account are independent
    expect(await client.rememberAndWait(text, { namespace: 'once more' })).not.toHaveProperty('deduplicated');
    const stranger = (await createTestOwner(network)).client(relayer.url);
    expect(await stranger.rememberAndWait(text, { namespace })).not.toHaveProperty('deduplicated');
  });

  test('ends as a duplicate as soon as the first, unfinished copy is stored', async () => {
    const namespace = 'on its way';
    publisher.fault = { method: 'PUT', kind: 500 };
    const first = await client.remember('held up', { namespace });
    await publisher.hit();
    await expect.poll(async () => (await client.job(first.jobId)).attempts, { timeout: 10_000 }).toBe(1);
    const second = await client.remember('held up', { namespace });
    publisher.fault = undefined;
    const stored = await client.waitForJob(first.jobId);
    const ended = await client.waitForJob(second.jobId);
    expect(ended).toMatchObject({ blobId: stored.blobId, deduplicated: true });
    expect(vectorsMade('held up')).toBe(1);
  });

  test('is not revealed to a key that cannot read it, and is stored again for that key', async () => {
    const namespace = 'confided';
    const text = 'the diagnosis';
    const first = await client.rememberAndWait(text, { namespace });
    const duplicate = await client.rememberAndWait(text, { namespace });
    const writer = await delegate({ perms: permissions.write });
    const writing = owner.client(relayer.url, { key: writer.privateKey });
    const guessed = await writing.rememberAndWait(text, { namespace });
    expect(guessed).not.toHaveProperty('deduplicated');
    expect(guessed.blobId).not.toBe(first.blobId);
    // Nor does another key's job reveal it
    const ids = [duplicate.jobId, first.jobId];
    expect((await client.jobs(ids)).map((job) => job.deduplicated)).toEqual([true, undefined]);
    for (const job of [...(await writing.jobs(ids)), await writing.job(duplicate.jobId)])
      expect(job).not.toHaveProperty('deduplicated');
  });

  test('in a different word order is stored as well, and is reported as a near-duplicate to readers', async () => {
    const namespace = 'nearly';
    const first = await client.rememberAndWait('rye bread from the corner bakery', { namespace });
    const second = await client.rememberAndWait('from the corner bakery: rye bread!', { namespace });
    const near = { nearDuplicateOf: first.jobId, similarity: 1 };
    expect(second).toMatchObject(near);
    expect(second.blobId).not.toBe(first.blobId);
    expect(await client.jobs([first.jobId, second.jobId])).toMatchObject([{}, near]);
    const listed = async () =>
      (await all(client.memories({ namespace }))).find(({ id }) => id === second.jobId);
    expect(await listed()).toMatchObject(near);
    const writer = await delegate({ perms: permissions.write });
    const writing = owner.client(relayer.url, { key: writer.privateKey });
    const id = second.jobId;
    for (const job of [...(await writing.jobs([id])), await writing.job(id)])
      expect(job).not.toHaveProperty('nearDuplicateOf');
    await client.forget({ namespace, ids: [first.jobId] });
    expect(await listed()).not.toHaveProperty('nearDuplicateOf');
  });

  test('from an earlier epoch is stored again for a key that cannot read that epoch', async () => {
    const namespace = 'epochs';
    await client.rememberAndWait('known before', { namespace });
    const { packageId } = network.info;
    await owner.execute(rotateKeyEpoch(packageId, owner.accountId));
    await expect.poll(async () => (await client.account()).keyEpoch, { timeout: 10_000 }).toBeGreaterThan(0);
    const late = newTestKey();
    await owner.execute(
      addDelegateKeyScoped(packageId, owner.accountId, {
        publicKey: late.publicKey,
        address: late.address,
        label: 'late',
        proof: await parsePrivateKey(late.privateKey).sign(delegateProofMessage(owner.accountId)),
        scope: {
          perms: permissions.all,
          all_namespaces: true,
          tags: [],
          min_epoch: 1n,
          expires_at_ms: 0n,
        },
      }),
    );
    await known(late);
    const lateClient = owner.client(relayer.url, { key: late.privateKey });
    const stored = await lateClient.rememberAndWait('known before', { namespace });
    expect(stored).not.toHaveProperty('deduplicated');
    const { results } = await lateClient.recall('known before', { minScore: -1, namespace });
    expect(results.map(({ blobId, text }) => [blobId, text])).toEqual([[stored.blobId, 'known before']]);
  });
});

describe('a failed job', () => {
  /** Stores a text that the publisher rejects at first; later attempts are accepted. Returns the failed job. */
  async function failedUpload(text: string, namespace: string): Promise<string> {
    publisher.fault = { method: 'PUT', kind: 413 };
    const { jobId } = await client.remember(text, { namespace });
    await expect(client.waitForJob(jobId)).rejects.toMatchObject({ code: 'job_failed' });
    publisher.fault = undefined;
    return jobId;
  }

  test('is stored on retry, whether its upload or its embedding failed', async () => {
    const namespace = 'retried';
    const first = await failedUpload('refused by the publisher', namespace);
    provider.fault = 400;
    const { jobId: second } = await client.remember('refused by the provider', { namespace });
    await expect(client.waitForJob(second)).rejects.toMatchObject({ code: 'job_failed' });
    provider.fault = undefined;
    const { jobs } = await client.stats();
    expect(jobs).toMatchObject({ failed: 2, failedIds: expect.arrayContaining([first, second]) });
    expect(await all(client.memories({ namespace }))).toEqual([]);
    for (const id of [first, second]) {
      expect(await client.retryJob(id)).toEqual({ jobId: id, status: 'running' });
      expect(await client.waitForJob(id)).toMatchObject({ status: 'done' });
    }
    const { results } = await client.recall('refused by whom?', { minScore: -1, namespace });
    expect(results.map(({ text }) => text).sort()).toEqual([
      'refused by the provider',
      'refused by the publisher',
    ]);
    expect((await client.stats()).jobs).toEqual({ running: 0, failed: 0 });
  });

  test('is queued once by two concurrent retries, and a job that has not failed is rejected', async () => {
    const jobId = await failedUpload('retried twice', 'twice');
    const path = `/api/remember/${jobId}/retry`;
    const answers = await Promise.all([call(owner.delegate, path), call(owner.delegate, path)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
    const accepted = answers.find(({ status }) => status === 202)!;
    expect(accepted.body).toEqual({ job_id: jobId, status: 'running' });
    await client.waitForJob(jobId);
    expect(await call(owner.delegate, path)).toMatchObject({
      status: 409,
      body: { error: 'job_not_failed', details: { status: 'done' } },
    });
  });

  test('can be retried by any key with WRITE in its namespace, and is hidden from all others', async () => {
    const jobId = await failedUpload('whose job?', 'guarded');
    const path = `/api/remember/${jobId}/retry`;
    const refused = { status: 403, body: { error: 'insufficient_scope' } };
    expect(await call(await delegate({ perms: permissions.read }), path)).toMatchObject(refused);
    const stranger = await createTestOwner(network);
    const foreign = { path, body: {}, accountId: stranger.accountId };
    for (const answer of [
      await call(await delegate({ namespaces: ['elsewhere'] }), path),
      await rawRequest(relayer.url, stranger.delegate, foreign),
      await call(owner.delegate, '/api/remember/no-uuid/retry'),
      await call(owner.delegate, `/api/remember/${randomUUID()}/retry`),
    ])
      expect(answer).toMatchObject({ status: 404, body: { error: 'job_not_found' } });
    expect((await client.job(jobId)).status).toBe('failed');
    expect((await call(await delegate({ namespaces: ['guarded'] }), path)).status).toBe(202);
    await client.waitForJob(jobId);
  });

  test('ends with the existing blob when its text was stored in the meantime', async () => {
    const namespace = 'overtaken';
    const jobId = await failedUpload('said by two', namespace);
    const other = await client.rememberAndWait('said by two', { namespace });
    expect(other).not.toHaveProperty('deduplicated');
    await client.retryJob(jobId);
    expect(await client.waitForJob(jobId)).toMatchObject({ blobId: other.blobId, deduplicated: true });
    expect((await client.recall('said by two', { minScore: -1, namespace })).total).toBe(1);
    expect((await client.namespaces()).find((entry) => entry.namespace === namespace)?.memoryCount).toBe(1);
  });

  test('is retried from the command line until it is stored', async () => {
    const jobId = await failedUpload('from the command line', 'command');
    const home = await mkdtemp(join(tmpdir(), 'memrelay-retry-'));
    try {
      const credentials = join(home, 'credentials.json');
      const { delegate: key, wallet, accountId } = owner;
      const file = {
        delegatePrivateKey: key.privateKey,
        delegatePublicKey: key.publicKey,
        delegateAddress: key.address,
        walletAddress: wallet.address,
        accountId,
        packageId: network.info.packageId,
        relayerUrl: relayer.url,
        label: 'test',
        createdAt: new Date().toISOString(),
      };
      await writeFile(credentials, JSON.stringify(file), { mode: 0o600 });
      const output = createOutput({ json: true });
      const printed: unknown[] = [];
      await retry({ ...output, result: (value) => printed.push(value) }, jobId, { credentials, wait: true });
      expect(printed).toEqual([
        {
          id: jobId,
          job_id: jobId,
          status: 'done',
          namespace: 'command',
          blob_id: expect.stringMatching(/^[\w-]{43}$/),
        },
      ]);
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  });
});
