import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FaultProxy, startFaultProxy } from '../../src/fault-proxy.ts';
import { RelayerWorld } from '../../src/relayer-world.ts';
import { createTestOwner, type TestOwner } from '../../src/test-owner.ts';

/** Tests, with at most 20 jobs per account, that queued work is limited and continues after an orderly shutdown. */

let world: RelayerWorld;
let publisher: FaultProxy;
let owner: TestOwner;
beforeAll(async () => {
  world = await RelayerWorld.create({
    environment: async ({ blobstoreUrl }) => {
      publisher = await startFaultProxy(blobstoreUrl);
      return {
        STORE_PUBLISHER_URL: publisher.url,
        MEM_MAX_PENDING_JOBS_PER_ACCOUNT: '20',
        UPLOAD_CONCURRENCY: '50',
      };
    },
    owners: 0,
  });
});
beforeEach(async () => {
  owner = await createTestOwner(world.network);
  publisher.fault = { method: 'PUT', kind: 'hold-answer' };
});
afterAll(async () => {
  await world?.close();
  await publisher?.close();
});

const texts = (count: number) => Array.from({ length: count }, (_, i) => ({ text: `sentence ${i}` }));
const uploadsOpen = () => {
  publisher.fault = undefined;
  publisher.release();
};
const encrypted = () => ({
  encryptedData: randomBytes(500),
  vector: new Array(1536).fill(1),
  opaque: true,
});

test('rejects only the account with a full backlog, with 503 overloaded and Retry-After, and the SDK retries by itself', async () => {
  const before = publisher.hits();
  const once = owner.client(world.relayer.url, { maxAttempts: 1 });
  const { jobIds } = await once.rememberBulk(texts(20));
  const overloaded = { code: 'overloaded', status: 503, retryAfterMs: 5_000 };
  await expect(once.remember('one more')).rejects.toMatchObject(overloaded);
  await expect(once.rememberBulk(texts(2))).rejects.toMatchObject(overloaded);
  await expect(once.rememberManual(encrypted())).rejects.toMatchObject(overloaded);
  const another = await createTestOwner(world.network);
  const { jobId: theirs } = await another.client(world.relayer.url, { maxAttempts: 1 }).remember('theirs');
  await expect.poll(() => publisher.hits() - before, { timeout: 30_000 }).toBe(21);

  const patient = owner.client(world.relayer.url).remember('one more');
  uploadsOpen();
  const { jobId } = await patient;
  const outcomes = await once.waitForJobs([...jobIds, jobId], { timeoutMs: 60_000 });
  expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['done']));
  await another.client(world.relayer.url).waitForJob(theirs, { timeoutMs: 60_000 });
}, 120_000);

test('finishes a manual call after SIGTERM during uploads, stops in time, and completes the rest after a restart', async () => {
  const before = publisher.hits();
  const client = owner.client(world.relayer.url, { maxAttempts: 1 });
  const { jobIds } = await client.rememberBulk(texts(15));
  const manual = client.rememberManual(encrypted()).catch((error: unknown) => error);
  await expect.poll(() => publisher.hits() - before, { timeout: 30_000 }).toBe(16);
  const began = Date.now();
  process.kill(world.relayer.part().pid, 'SIGTERM');
  expect(await manual).toMatchObject({ code: 'store_unavailable', status: 503 });
  // Before the time limit for the other work has passed
  expect(Date.now() - began).toBeLessThan(4_000);
  expect(await world.relayer.part().ended).toBe('exit code 0');
  expect(Date.now() - began).toBeLessThan(10_000);
  uploadsOpen();
  await world.relayer.start();
  const restarted = Date.now();
  const outcomes = await client.waitForJobs(jobIds, { timeoutMs: 60_000 });
  expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['done']));
  expect(Date.now() - restarted).toBeLessThan(10_000);
}, 120_000);
