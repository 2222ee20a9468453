import { randomBytes, randomUUID } from 'node:crypto';
import { noTracing } from '@memrelay/process/tracing';
import type { UploadCheckpoint } from '@memrelay/protocol/sidecar-api';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { noMetrics } from '../../src/base/metrics/metrics.ts';
import { createMemoryBlobCache } from '../../src/blobs/blob-cache.ts';
import type { Embedder } from '../../src/index/embedding/embedder.ts';
import { createEmbedStage } from '../../src/jobs/embed/embed-stage.ts';
import { type Pipeline, startPipeline } from '../../src/jobs/pipeline.ts';
import { insertJobs } from '../../src/jobs/rows/accept-jobs.ts';
import { createWalletPool } from '../../src/jobs/rows/upload-wallets.ts';
import type { SidecarClient } from '../../src/sidecar/sidecar-client.ts';
import type { UploadRequest } from '../../src/sidecar/upload-through.ts';
import { unknownAccounts } from '../support/accounts.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { indexerWith, lexical } from '../support/index-parts.ts';
import { noBlobs, outbox, textJob } from '../support/text-job.ts';

/** A lease is extended every five of its 15 seconds, so one that is not released lasts longer than this. */
const longestMs = 10_000;
const silent = pino({ enabled: false });
const wallets = Array.from({ length: 50 }, (_, i) => `0x${String(i).padStart(64, '0')}`);

describe.each(databases)('a relayer that shuts down, on $name', ({ create }) => {
  let database: TestDb;
  const pipelines: Pipeline[] = [];
  beforeEach(async () => {
    database = await create();
  });
  afterEach(async () => {
    await Promise.all(pipelines.splice(0).map((pipeline) => pipeline.close()));
    await database.drop();
  });

  /** A relayer with 50 concurrent uploads. */
  async function relayer(
    upload: (request: UploadRequest) => Promise<UploadCheckpoint>,
    embedder: Embedder = lexical,
  ): Promise<Pipeline> {
    const { db } = database;
    const sidecar = {
      async *upload(request: UploadRequest) {
        yield await upload(request);
      },
    };
    const pipeline = await startPipeline({
      db,
      accounts: unknownAccounts,
      sidecar: sidecar as unknown as SidecarClient,
      blobCache: createMemoryBlobCache({ ttlSeconds: 60, maxBlobBytes: 10_000 }),
      embedJobs: createEmbedStage({
        db,
        indexer: indexerWith(embedder),
        outbox,
        aggregators: noBlobs,
        log: silent,
      }),
      uploadConcurrency: 50,
      storeEpochs: 2,
      wallets: await createWalletPool(db, wallets),
      alerts: undefined,
      metrics: noMetrics,
      tracing: noTracing,
      quilts: { maxItems: 1, nShards: 31, windowMs: 0 },
      log: silent,
    });
    pipelines.push(pipeline);
    return pipeline;
  }

  async function accept(count: number): Promise<void> {
    const accountId = randomBytes(32);
    const jobs = Array.from({ length: count }, (_, i) => textJob(accountId, `text ${i}`));
    await insertJobs(database.db, jobs, 'queued');
  }
  async function count(condition: string): Promise<number> {
    const { rows } = await database.db.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM memory_job WHERE ${condition}`,
    );
    return rows[0]!.count;
  }
  const done = async (): Promise<UploadCheckpoint> => ({
    stage: 'done',
    blob_id: randomBytes(32).toString('base64url'),
    end_epoch: 9,
  });

  test('completes those of 50 uploads that end in time, and another relayer continues the rest immediately', async () => {
    const uploads: PromiseWithResolvers<UploadCheckpoint>[] = [];
    const ending = await relayer(() => {
      uploads.push(Promise.withResolvers());
      return uploads.at(-1)!.promise;
    });
    await accept(50);
    ending.wakeEmbedding();
    await expect.poll(() => uploads.length, { timeout: 20_000 }).toBe(50);
    const drained = ending.drain();
    for (const upload of uploads.slice(0, 25)) upload.resolve(done());
    await expect.poll(() => count("status = 'done'"), { timeout: 5_000 }).toBe(25);
    // The sidecar has stopped
    for (const upload of uploads.slice(25)) upload.reject(new Error('the connection broke off'));
    await drained;
    await ending.close();
    expect(
      await count("status = 'running' AND attempts = 0 AND lease_token IS NULL AND run_at <= now()"),
    ).toBe(25);
    const began = Date.now();
    await relayer(done);
    await expect.poll(() => count("status = 'done'"), { timeout: 20_000 }).toBe(50);
    expect(Date.now() - began).toBeLessThan(longestMs);
  });

  test('releases unfinished uploads with their wallets, and ignores their later results', async () => {
    const late: PromiseWithResolvers<UploadCheckpoint>[] = [];
    const ending = await relayer(() => {
      late.push(Promise.withResolvers());
      return late.at(-1)!.promise;
    });
    await accept(3);
    ending.wakeEmbedding();
    await expect.poll(() => late.length, { timeout: 20_000 }).toBe(3);
    await ending.close();
    const resumed: (string | undefined)[] = [];
    const began = Date.now();
    await relayer((request) => {
      resumed.push(request.resume ? request.wallet : undefined);
      return done();
    });
    await expect.poll(() => count("status = 'done'"), { timeout: 20_000 }).toBe(3);
    expect(Date.now() - began).toBeLessThan(longestMs);
    // With the wallets that may have paid
    expect(resumed).not.toContain(undefined);
    const stored = () => database.db.query('SELECT id, blob_id FROM memory ORDER BY id');
    const { rows } = await stored();
    for (const upload of late) upload.resolve(done());
    await pipelines.pop()!.close();
    expect((await stored()).rows).toEqual(rows);
  });

  test('releases texts in embedding for another relayer to continue immediately', async () => {
    const asked = Promise.withResolvers<void>();
    const silentProvider: Embedder = {
      ...lexical,
      embed() {
        asked.resolve();
        return new Promise(() => undefined);
      },
    };
    const ending = await relayer(done, silentProvider);
    await accept(40);
    ending.wakeEmbedding();
    await asked.promise;
    await ending.close();
    const began = Date.now();
    await relayer(done);
    await expect.poll(() => count("status = 'done'"), { timeout: 20_000 }).toBe(40);
    expect(Date.now() - began).toBeLessThan(longestMs);
    expect(await count('attempts > 0')).toBe(0);
  });

  test('accepts no new work, and stops without delay', async () => {
    let begun = 0;
    const ending = await relayer(() => {
      begun += 1;
      return done();
    });
    const waiting = ending.finished(randomUUID(), 60_000);
    await ending.drain();
    await waiting;
    expect(ending.stopping).toBe(true);
    await accept(1);
    ending.wakeEmbedding();
    await relayer(done);
    await expect.poll(() => count("status = 'done'"), { timeout: 20_000 }).toBe(1);
    expect(begun).toBe(0);
  });
});
