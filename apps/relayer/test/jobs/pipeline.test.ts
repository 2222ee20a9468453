import { randomBytes } from 'node:crypto';
import { noTracing } from '@memrelay/process/tracing';
import { maxUploadAttempts } from '@memrelay/protocol/limits';
import type { UploadCheckpoint } from '@memrelay/protocol/sidecar-api';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { noMetrics } from '../../src/base/metrics/metrics.ts';
import { createMemoryBlobCache } from '../../src/blobs/blob-cache.ts';
import { createEmbedStage } from '../../src/jobs/embed/embed-stage.ts';
import { type Pipeline, startPipeline } from '../../src/jobs/pipeline.ts';
import { insertJobs } from '../../src/jobs/rows/accept-jobs.ts';
import { readJobs } from '../../src/jobs/rows/read-jobs.ts';
import type { SidecarClient } from '../../src/sidecar/sidecar-client.ts';
import type { UploadRequest } from '../../src/sidecar/upload-through.ts';
import { unknownAccounts } from '../support/accounts.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { indexerWith } from '../support/index-parts.ts';
import { noBlobs, outbox, textJob } from '../support/text-job.ts';

const silent = pino({ enabled: false });

describe.each(databases)('the pipeline on $name', ({ create }) => {
  let database: TestDb;
  let pipeline: Pipeline | undefined;
  const accountId = randomBytes(32);
  beforeAll(async () => {
    database = await create();
  });
  afterEach(() => pipeline?.close());
  afterAll(() => database.drop());

  /** Starts it with a sidecar that ends each upload as `outcome` says. */
  async function start(
    uploadConcurrency: number,
    outcome: (request: UploadRequest) => UploadCheckpoint | Promise<UploadCheckpoint>,
  ): Promise<Pipeline> {
    const { db } = database;
    async function* upload(request: UploadRequest): AsyncGenerator<UploadCheckpoint> {
      yield await outcome(request);
    }
    pipeline = await startPipeline({
      db,
      accounts: unknownAccounts,
      sidecar: { upload } as SidecarClient,
      blobCache: createMemoryBlobCache({ ttlSeconds: 60, maxBlobBytes: 10_000 }),
      embedJobs: createEmbedStage({ db, indexer: indexerWith(), outbox, aggregators: noBlobs, log: silent }),
      uploadConcurrency,
      storeEpochs: 2,
      wallets: undefined,
      alerts: undefined,
      metrics: noMetrics,
      tracing: noTracing,
      quilts: { maxItems: 1, nShards: 31, windowMs: 0 },
      log: silent,
    });
    return pipeline;
  }

  async function accept(count: number, textHash?: Buffer): Promise<string[]> {
    const jobs = Array.from({ length: count }, (_, i) => textJob(accountId, `text ${i}`, { textHash }));
    await insertJobs(database.db, jobs, 'queued');
    pipeline!.wakeEmbedding();
    return jobs.map(({ id }) => id);
  }
  const records = async (ids: string[]) => [...(await readJobs(database.db, accountId, ids)).values()];
  const done = (): UploadCheckpoint => ({
    stage: 'done',
    blob_id: randomBytes(32).toString('base64url'),
    end_epoch: 9,
  });

  test('uploads as many concurrently as allowed, and never more', async () => {
    let [underway, most] = [0, 0];
    const waitingUploads: (() => void)[] = [];
    await start(3, async () => {
      most = Math.max(most, ++underway);
      await new Promise<void>((resolve) => waitingUploads.push(resolve));
      underway -= 1;
      return done();
    });
    const ids = await accept(10);
    await expect.poll(() => underway, { timeout: 20_000 }).toBe(3);
    await expect
      .poll(
        async () => {
          waitingUploads.shift()?.();
          return (await records(ids)).every(({ status }) => status === 'done');
        },
        { timeout: 20_000 },
      )
      .toBe(true);
    expect(most).toBe(3);
  });

  test('completes a long-waiting duplicate as soon as the other is stored', async () => {
    const upload = Promise.withResolvers<UploadCheckpoint>();
    await start(1, () => upload.promise);
    const ids = await accept(2, randomBytes(32));
    const hasWaited = async () => {
      // By now it polls once a minute
      const { rows } = await database.db.query<{ due: number }>(
        `UPDATE memory_job SET created_at = now() - interval '1 hour' WHERE id = ANY($1::uuid[]) AND duplicate
         RETURNING extract(epoch FROM run_at - now())::int AS due`,
        [ids],
      );
      return rows[0]!.due;
    };
    await expect.poll(hasWaited, { timeout: 20_000 }).toBeGreaterThan(50);
    upload.resolve(done());
    const states = async () => (await records(ids)).map(({ status, deduplicated }) => [status, deduplicated]);
    await expect.poll(states, { timeout: 20_000 }).toEqual(
      expect.arrayContaining([
        ['done', undefined],
        ['done', true],
      ]),
    );
    const blobs = (await records(ids)).map(({ blob_id }) => blob_id);
    expect(new Set(blobs).size).toBe(1);
  });

  test('gives up an upload after its fifth attempt', async () => {
    let attempts = 0;
    await start(1, () => {
      attempts += 1;
      return { stage: 'failed', kind: 'transient', reason: 'busy' };
    });
    const id = (await accept(1))[0]!;
    await expect
      .poll(
        async () => {
          // Makes it due: the delays between attempts take half a minute
          await database.db.query(
            "UPDATE memory_job SET run_at = now() WHERE id = $1 AND status = 'running'",
            [id],
          );
          pipeline!.wakeUpload();
          return (await records([id]))[0]!.status;
        },
        { timeout: 20_000 },
      )
      .toBe('failed');
    expect([attempts, maxUploadAttempts]).toEqual([5, 5]);
    expect((await records([id]))[0]).toMatchObject({ attempts: 5, error_code: 'upload_exhausted' });
  });
});
