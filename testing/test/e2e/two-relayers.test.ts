import { randomUUID } from 'node:crypto';
import { rotateKeyEpoch } from '@memrelay/chain/account-transactions';
import { headers } from '@memrelay/protocol/headers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { FaultProxy } from '../../src/fault-proxy.ts';
import { type FaultyWorld, startFaultyWorld } from '../../src/faulty-world.ts';
import { rawRequest } from '../../src/raw-request.ts';
import { createTestOwner, type TestOwner } from '../../src/test-owner.ts';
import type { TestRelayer } from '../../src/test-relayer.ts';

/**
 * Tests two relayers on one Postgres and one Redis: each memory is stored once, whichever relayer accepts it, processes it or
 * is queried.
 */
const hasPostgres =
  process.env.MEMRELAY_TEST_DATABASE_URL !== undefined && process.env.MEMRELAY_TEST_BACKEND !== 'embedded';

describe.runIf(hasPostgres)('two relayers on one database', () => {
  let world: FaultyWorld;
  /** Proxy between the first relayer and the publisher */
  let publisher: FaultProxy;
  let relayers: [TestRelayer, TestRelayer];
  let owner: TestOwner;

  beforeAll(async () => {
    // Started concurrently: they migrate, pin key servers and check secrets one after the other
    world = await startFaultyWorld({ relayers: 2 });
    publisher = world.publisher;
    relayers = [world.relayers[0]!, world.relayers[1]!];
    owner = await createTestOwner(world.network);
  });
  afterAll(() => world?.close());
  beforeEach(() => world.heal());

  async function everyTextOnce(namespace: string, texts: string[]): Promise<void> {
    for (const { url } of relayers) {
      const { results, droppedCount } = await owner
        .client(url)
        .recall('sentence', { minScore: -1, namespace, limit: 100 });
      expect(droppedCount).toBeUndefined();
      expect(results.map((hit) => hit.text).sort()).toEqual([...texts].sort());
    }
  }

  test('accept concurrent writers of a new namespace', async () => {
    const namespace = 'new to both';
    const texts = Array.from({ length: 24 }, (_, i) => `sentence ${i}`);
    const clients = relayers.map(({ url }) => owner.client(url));
    const jobs = await Promise.all(texts.map((text, i) => clients[i % 2]!.remember(text, { namespace })));
    const other = clients.toReversed();
    await Promise.all(jobs.map(({ jobId }, i) => other[i % 2]!.waitForJob(jobId)));
    await everyTextOnce(namespace, texts);
  });

  test('accept an idempotency key once', async () => {
    const namespace = 'one key';
    const key = randomUUID();
    const answers = await Promise.all(
      [...relayers, ...relayers].map(({ url }) =>
        rawRequest(url, owner.delegate, {
          path: '/api/remember',
          body: { text: 'a sentence once', namespace },
          accountId: owner.accountId,
          headers: { [headers.idempotencyKey]: key },
        }),
      ),
    );
    expect(new Set(answers.map(({ body }) => body.job_id)).size).toBe(1);
    await owner.client(relayers[0].url).waitForJob(answers[0]!.body.job_id);
    await everyTextOnce(namespace, ['a sentence once']);
  });

  test('store a text sent to both once, and end each of its jobs with the same blob', async () => {
    const namespace = 'one text';
    const clients = relayers.map(({ url }) => owner.client(url));
    const rounds = Array.from({ length: 6 }, (_, i) => `sentence of round ${i}`);
    const jobs = await Promise.all(
      rounds.flatMap((text) =>
        [...clients, ...clients].map((client) => client.remember(text, { namespace })),
      ),
    );
    const outcomes = await clients[0]!.waitForJobs(jobs.map(({ jobId }) => jobId));
    for (const [round] of rounds.entries()) {
      const same = outcomes.slice(round * 4, round * 4 + 4);
      expect(new Set(same.map(({ blobId }) => blobId)).size).toBe(1);
      expect(same.filter(({ deduplicated }) => !deduplicated).length).toBe(1);
    }
    await everyTextOnce(namespace, rounds);
  });

  test('find what the other stores and forgets in a namespace that both have in memory', async () => {
    const namespace = 'in memory of both';
    const clients = relayers.map(({ url }) => owner.client(url));
    const first = await clients[0]!.rememberAndWait('sentence 0', { namespace });
    const recalled = async (which: number): Promise<string[]> => {
      const { results } = await clients[which]!.recall('sentence', { namespace, minScore: -1, limit: 100 });
      return results.map(({ text }) => text).sort();
    };
    // After the third recall at the latest it is loaded in the background
    for (let i = 0; i < 10; i++)
      for (const which of [0, 1]) expect(await recalled(which)).toEqual(['sentence 0']);
    const blobs = [first.blobId];
    for (let i = 1; i <= 6; i++) {
      const stored = await clients[i % 2]!.rememberAndWait(`sentence ${i}`, { namespace });
      blobs.push(stored.blobId);
      const expected = Array.from({ length: 2 }, (_, j) => `sentence ${i - 1 + j}`);
      for (const which of [0, 1]) expect(await recalled(which)).toEqual(expected);
      await clients[i % 2]!.forget({ namespace, ids: [blobs[i - 1]!] });
      for (const which of [0, 1]) expect(await recalled(which)).toEqual([`sentence ${i}`]);
    }
  });

  test('accept a nonce once', async () => {
    const fixed = { path: '/api/account', method: 'GET', accountId: owner.accountId, nonce: randomUUID() };
    const answers = await Promise.all(relayers.map(({ url }) => rawRequest(url, owner.delegate, fixed)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  test('respond to a manual memory when it is stored, whichever relayer stored it', async () => {
    const vector = Array.from({ length: 1536 }, (_, i) => Math.cos(i));
    const started = Date.now();
    for (let i = 0; i < 6; i++) {
      const client = owner.client(relayers[i % 2]!.url);
      const stored = await client.rememberManual({
        encryptedData: Buffer.from(`bytes ${i}`),
        vector,
        namespace: 'manual at both',
        opaque: true,
      });
      expect(stored.blobId).toMatch(/^[\w-]{43}$/);
    }
    expect(Date.now() - started).toBeLessThan(30_000);
    const found = await owner.client(relayers[0].url).recallManual({ vector, namespace: 'manual at both' });
    expect(found.total).toBe(6);
  });

  test('both learn a changed key epoch, and earlier memories stay readable', async () => {
    const namespace = 'two epochs';
    const clients = relayers.map(({ url }) => owner.client(url));
    await clients[0]!.rememberAndWait('sentence before', { namespace });
    await owner.execute(rotateKeyEpoch(world.network.info.packageId, owner.accountId));
    for (const client of clients)
      await expect
        .poll(async () => (await client.account()).keyEpoch, { timeout: 10_000 })
        .toBeGreaterThan(0);
    await clients[1]!.rememberAndWait('sentence after', { namespace });
    await everyTextOnce(namespace, ['sentence before', 'sentence after']);
  });

  test("finish each other's work after one is killed", async () => {
    const namespace = 'taken over';
    const texts = Array.from({ length: 12 }, (_, i) => `sentence ${i} to take over`);
    publisher.fault = { method: 'PUT', kind: 'hold-request' };
    const [first, second] = relayers;
    const { jobIds } = await owner.client(first.url).rememberBulk(texts.map((text) => ({ text, namespace })));
    await publisher.hit();
    await first.kill();
    publisher.fault = undefined;
    const outcomes = await owner.client(second.url).waitForJobs(jobIds, { timeoutMs: 50_000 });
    expect(outcomes.map(({ status }) => status)).toEqual(texts.map(() => 'done'));
    await first.start();
    await everyTextOnce(namespace, texts);
  });
});
