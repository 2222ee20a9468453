import { headers } from '@memrelay/protocol/headers';
import { NetworkError } from '@memrelay/sdk/errors';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { EmbeddingProvider } from '../../src/embedding-provider.ts';
import type { FaultProxy } from '../../src/fault-proxy.ts';
import { type FaultyWorld, startFaultyWorld } from '../../src/faulty-world.ts';
import { endLeases } from '../../src/pass-time.ts';
import { rawRequest } from '../../src/raw-request.ts';
import { createTestOwner, type TestOwner } from '../../src/test-owner.ts';
import type { TestRelayer } from '../../src/test-relayer.ts';

/** Kills the relayer with `kill -9` in every stage of a memory. Accepted memories must be stored and found exactly once. */

let world: FaultyWorld;
let provider: EmbeddingProvider;
let publisher: FaultProxy;
let relayer: TestRelayer;
let owner: TestOwner;

beforeAll(async () => {
  world = await startFaultyWorld();
  ({ provider, publisher, relayer } = world);
  owner = await createTestOwner(world.network);
});
afterAll(() => world?.close());
beforeEach(() => world.heal());

async function everyTextOnce(namespace: string, texts: string[]): Promise<void> {
  const { results, droppedCount } = await owner
    .client(relayer.url)
    .recall('sentence', { minScore: -1, namespace, limit: 100 });
  expect(droppedCount).toBeUndefined();
  expect(results.map((hit) => hit.text).sort()).toEqual([...texts].sort());
}

/** The response on the wire, whose fields the SDK renames. */
async function rawRecall(namespace: string, more: object = {}) {
  const { body } = await rawRequest(relayer.url, owner.delegate, {
    path: '/api/recall',
    body: { query: 'sentence', namespace, ...more },
    accountId: owner.accountId,
    headers: { [headers.delegateKey]: owner.delegate.privateKey },
  });
  return body;
}

const patience = { timeoutMs: 40_000 };

describe('kill -9', () => {
  test('loses nothing while a memory waits for its embedding', async () => {
    const texts = ['first sentence', 'second sentence'];
    provider.fault = 'hang';
    const client = owner.client(relayer.url);
    const { jobIds } = await client.rememberBulk(texts.map((text) => ({ text, namespace: 'embedding' })));
    await provider.waiting();
    expect((await client.job(jobIds[0]!)).stage).toBe('embedding');
    await relayer.kill();
    await endLeases(relayer);
    provider.fault = undefined;
    await relayer.start();
    const outcomes = await client.waitForJobs(jobIds, patience);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['done', 'done']);
    await everyTextOnce('embedding', texts);
  });

  test('loses nothing while a memory is being uploaded', async () => {
    publisher.fault = { method: 'PUT', kind: 'hold-request' };
    const client = owner.client(relayer.url);
    const { jobId } = await client.remember('a sentence on its way', { namespace: 'uploading' });
    await publisher.hit();
    expect((await client.job(jobId)).stage).toBe('uploading');
    await everyTextOnce('uploading', ['a sentence on its way']);
    const pending = await rawRecall('uploading', { include_pending: true });
    expect(pending.results).toMatchObject([{ text: 'a sentence on its way', pending: true }]);
    expect(pending.results[0]).not.toHaveProperty('blob_id');
    expect(await rawRecall('uploading')).toMatchObject({ results: [], total: 0 });
    await relayer.kill();
    await endLeases(relayer);
    publisher.fault = undefined;
    await relayer.start();
    await client.waitForJob(jobId, patience);
    await everyTextOnce('uploading', ['a sentence on its way']);
    const { results } = await rawRecall('uploading', { include_pending: true });
    expect(results).toEqual([expect.not.objectContaining({ pending: expect.anything() })]);
  });

  test("stores a blob once when the relayer dies before the publisher's response", async () => {
    publisher.fault = { method: 'PUT', kind: 'hold-answer' };
    const client = owner.client(relayer.url);
    const { jobId } = await client.remember('a sentence that was stored', { namespace: 'unheard' });
    await publisher.hit();
    await relayer.kill();
    await endLeases(relayer);
    publisher.fault = undefined;
    await relayer.start();
    await client.waitForJob(jobId, patience);
    await everyTextOnce('unheard', ['a sentence that was stored']);
  });

  test('loses nothing in repeated kills under load', async () => {
    const client = owner.client(relayer.url);
    const texts = Array.from({ length: 60 }, (_, i) => `sentence ${i} under load`);
    const jobIds: string[] = [];
    // A careful caller uses the same idempotency key until the relayer has responded
    const rememberSurely = async (text: string): Promise<string> => {
      const options = { namespace: 'load', idempotencyKey: text.replaceAll(' ', '-') };
      for (;;) {
        const accepted = await client.remember(text, options).catch((error: unknown) => {
          if (error instanceof NetworkError) return undefined;
          throw error;
        });
        if (accepted) return accepted.jobId;
      }
    };
    const writing = (async () => {
      for (const text of texts) jobIds.push(await rememberSurely(text));
    })();
    for (let round = 0; round < 3; round++) {
      const before = jobIds.length;
      await expect
        .poll(() => jobIds.length, { timeout: 30_000, interval: 5 })
        .toBeGreaterThan(before + round * 3);
      await relayer.kill();
      await endLeases(relayer);
      await relayer.start();
    }
    await writing;
    const outcomes = await client.waitForJobs(jobIds, { timeoutMs: 60_000 });
    expect(outcomes.filter((outcome) => outcome.status !== 'done')).toEqual([]);
    await everyTextOnce('load', texts);
  });
});

describe('a failing part', () => {
  test('delays a memory but loses none when the provider fails temporarily', async () => {
    provider.fault = 503;
    const client = owner.client(relayer.url);
    const { jobId } = await client.remember('a patient sentence', { namespace: 'provider' });
    await expect
      .poll(async () => (await client.job(jobId)).errorCode, { timeout: 10_000 })
      .toBe('embedding_unavailable');
    const waiting = await client.job(jobId);
    expect(waiting).toMatchObject({ status: 'running', stage: 'embedding', nextRetryAt: expect.any(String) });
    provider.fault = undefined;
    await client.waitForJob(jobId, patience);
    await everyTextOnce('provider', ['a patient sentence']);
  });

  test('retries when the publisher fails, and ends the job with a reason when it rejects', async () => {
    publisher.fault = { method: 'PUT', kind: 500 };
    const client = owner.client(relayer.url);
    const { jobId } = await client.remember('stored at the second try', { namespace: 'publisher' });
    await expect
      .poll(async () => (await client.job(jobId)).errorCode, { timeout: 10_000 })
      .toBe('upload_unavailable');
    publisher.fault = undefined;
    await client.waitForJob(jobId, patience);
    await everyTextOnce('publisher', ['stored at the second try']);

    publisher.fault = { method: 'PUT', kind: 413 };
    const refused = await client.remember('refused', { namespace: 'refused' });
    await expect(client.waitForJob(refused.jobId, patience)).rejects.toMatchObject({ code: 'job_failed' });
    expect(await client.job(refused.jobId)).toMatchObject({
      status: 'failed',
      errorCode: 'upload_rejected',
    });
    await everyTextOnce('refused', []);
    const manual = client.rememberManual({
      encryptedData: Buffer.from('bytes'),
      vector: new Array(1536).fill(1),
      opaque: true,
    });
    await expect(manual).rejects.toMatchObject({ code: 'store_rejected', status: 502, retryable: false });
  });

  test('reports a recall whose question cannot be embedded, and recovers later', async () => {
    const client = owner.client(relayer.url);
    provider.fault = 500;
    await expect(
      owner.client(relayer.url, { maxAttempts: 1 }).recall('never embedded before'),
    ).rejects.toMatchObject({ code: 'embedding_unavailable', status: 503 });
    provider.fault = undefined;
    await client.recall('never embedded before');
  });
});
