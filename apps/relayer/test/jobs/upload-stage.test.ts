import { randomBytes, randomUUID } from 'node:crypto';
import { ApiError } from '@memrelay/protocol/errors';
import type { UploadCheckpoint } from '@memrelay/protocol/sidecar-api';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMemoryBlobCache } from '../../src/blobs/blob-cache.ts';
import { retryDelayMs } from '../../src/jobs/queue/backoff.ts';
import { insertJobs, insertManualMemory, type NewJob } from '../../src/jobs/rows/accept-jobs.ts';
import { type ClaimedJob, claimJobs } from '../../src/jobs/rows/claim-jobs.ts';
import { deleteMemories } from '../../src/jobs/rows/forget-rows.ts';
import { forgottenObjects } from '../../src/jobs/rows/forgotten-objects.ts';
import { readJobs, readPendingEnvelopes } from '../../src/jobs/rows/read-jobs.ts';
import { createWalletPool, type WalletPool } from '../../src/jobs/rows/upload-wallets.ts';
import { uploadJobs } from '../../src/jobs/upload/upload-stage.ts';
import { type SidecarClient, SidecarUnreachableError } from '../../src/sidecar/sidecar-client.ts';
import { unknownAccounts } from '../support/accounts.ts';
import { databases, type TestDb } from '../support/databases.ts';

const silent = pino({ enabled: false });

describe.each(databases)('an upload on $name', ({ create }) => {
  let database: TestDb;
  const blobCache = createMemoryBlobCache({ ttlSeconds: 60, maxBlobBytes: 10_000 });
  beforeAll(async () => {
    database = await create();
  });
  afterAll(() => database.drop());

  async function accepted(): Promise<NewJob> {
    const job: NewJob = {
      id: randomUUID(),
      accountId: randomBytes(32),
      owner: `0x${'ab'.repeat(32)}`,
      namespace: 'default',
      delegatePk: randomBytes(32),
      outbox: undefined,
      envelope: randomBytes(1_500),
      envelopeId: randomBytes(16),
      envelopeSha256: randomBytes(32),
      importance: 0.5,
    };
    await database.db.transaction(async (tx) => {
      await insertJobs(tx, [job], 'uploading');
      await insertManualMemory(tx, job.id, { model: 'm', keyId: 1 }, new Float32Array(8).fill(1));
    });
    return job;
  }

  async function claim(job: NewJob): Promise<ClaimedJob> {
    // Leftovers of other tests are not due yet
    await database.db.query(
      "UPDATE memory_job SET run_at = now() + CASE id WHEN $1 THEN '0' ELSE interval '1 hour' END",
      [job.id],
    );
    const [claimed] = await claimJobs(database.db, 'uploading', 1, randomUUID());
    expect(claimed!.id).toBe(job.id);
    return claimed!;
  }

  /**
   * One attempt, with a sidecar that sends these checkpoints and may then break off. Returns the wallet that was to
   * pay.
   */
  async function attempt(
    job: ClaimedJob,
    checkpoints: Iterable<UploadCheckpoint> | AsyncIterable<UploadCheckpoint>,
    error?: Error,
    wallets?: WalletPool,
  ): Promise<string | undefined> {
    let payer: string | undefined;
    async function* upload({ wallet }: { wallet?: string }): AsyncGenerator<UploadCheckpoint> {
      payer = wallet;
      yield* checkpoints;
      if (error) throw error;
    }
    const sidecar = { upload } as unknown as SidecarClient;
    await uploadJobs(
      {
        db: database.db,
        accounts: unknownAccounts,
        sidecar,
        blobCache,
        storeEpochs: 2,
        wallets,
        alerts: undefined,
        maxAttempts: 5,
        isStopping: () => false,
        log: silent,
      },
      [job],
    );
    return payer;
  }
  const recordOf = async (job: NewJob) => (await readJobs(database.db, job.accountId, [job.id])).get(job.id)!;
  const envelopeOf = async (job: NewJob) =>
    (await readPendingEnvelopes(database.db, job.accountId, [job.id])).get(job.id);
  const stateOf = async (job: NewJob) => {
    const { rows } = await database.db.query<{ state: string }>('SELECT state FROM memory WHERE id = $1', [
      job.id,
    ]);
    return rows[0]!.state;
  };
  const newBlobId = () => randomBytes(32).toString('base64url');
  const transient: UploadCheckpoint = { stage: 'failed', kind: 'transient', reason: 'busy' };

  test('that succeeds puts the blob in the cache, and deletes the envelope from the row', async () => {
    const [job, blobId] = [await accepted(), newBlobId()];
    await attempt(await claim(job), [
      { stage: 'registered', object_id: '0x1', blob_id: blobId },
      { stage: 'certified', object_id: '0x1', blob_id: blobId },
      { stage: 'done', object_id: '0x1', blob_id: blobId, end_epoch: 9 },
    ]);
    expect(await recordOf(job)).toMatchObject({ status: 'done', blob_id: blobId });
    expect([await stateOf(job), await envelopeOf(job)]).toEqual(['done', undefined]);
    expect(await blobCache.getMany([blobId])).toEqual([job.envelope]);
  });

  test('that fails five times ends the job, and keeps its envelope', async () => {
    const job = await accepted();
    for (let attempts = 1; attempts < 5; attempts++) {
      await attempt(await claim(job), [transient]);
      expect(await recordOf(job)).toMatchObject({
        status: 'running',
        attempts,
        error_code: 'upload_unavailable',
        next_retry_at: expect.any(String),
      });
    }
    await attempt(await claim(job), [transient]);
    const record = await recordOf(job);
    expect(record).toMatchObject({ status: 'failed', attempts: 5, error_code: 'upload_exhausted' });
    expect(record.next_retry_at).toBeUndefined();
    expect([await stateOf(job), await envelopeOf(job)]).toEqual(['failed', job.envelope]);
    expect(await claimJobs(database.db, 'uploading', 9, randomUUID())).toEqual([]);
  });

  test('that finds the store full reports it on each retry, and when the job has failed', async () => {
    const job = await accepted();
    const full: UploadCheckpoint = { ...transient, store_full: true };
    await attempt(await claim(job), [full]);
    expect(await recordOf(job)).toMatchObject({ status: 'running', error_code: 'store_full' });
    for (let attempts = 2; attempts <= 5; attempts++) await attempt(await claim(job), [full]);
    expect(await recordOf(job)).toMatchObject({ status: 'failed', error_code: 'store_full' });
    expect(await envelopeOf(job)).toEqual(job.envelope);
  });

  test('that is rejected ends the job immediately', async () => {
    const job = await accepted();
    await attempt(await claim(job), [{ stage: 'failed', kind: 'permanent', reason: 'too large' }]);
    const record = await recordOf(job);
    expect(record).toMatchObject({ status: 'failed', attempts: 1, error_code: 'upload_rejected' });
    expect(JSON.stringify(record)).not.toContain('too large');
  });

  test.each([
    ['ends early', undefined, 1],
    ['breaks off', new TypeError('terminated'), 1],
    ['is refused by the sidecar', new ApiError('sidecar_unavailable'), 1],
    ['finds no sidecar', new SidecarUnreachableError(new Error('refused')), 0],
  ] as const)('that %s is retried', async (_how, error, attempts) => {
    const job = await accepted();
    const blobId = newBlobId();
    await attempt(await claim(job), [{ stage: 'relayed', blob_id: blobId }], error);
    const record = await recordOf(job);
    expect(record).toMatchObject({ status: 'running', stage: 'uploading', attempts });
    // Already known, but reported only when the blob is certified
    expect(record).not.toHaveProperty('blob_id');
    await attempt(await claim(job), [{ stage: 'done', blob_id: blobId, end_epoch: 9 }]);
    expect(await recordOf(job)).toMatchObject({ status: 'done', blob_id: blobId });
  });

  describe('with a paying wallet', () => {
    const failed = { stage: 'failed', kind: 'transient', reason: 'refused' } as const;
    const pool = async () => (await createWalletPool(database.db, ['0x1', '0x2', '0x3']))!;
    const cutOff = new TypeError('terminated');

    test('is retried only by the same wallet while that may have paid', async () => {
      const [job, wallets] = [await accepted(), await pool()];
      const payer = await attempt(await claim(job), [], cutOff, wallets);
      expect(payer).toMatch(/^0x[123]$/);
      const other = await accepted();
      const others = await attempt(
        await claim(other),
        [{ stage: 'done', blob_id: newBlobId(), end_epoch: 9 }],
        undefined,
        wallets,
      );
      expect(others).not.toBe(payer);

      const inUse = randomUUID();
      expect(await wallets.lease(inUse, payer)).toBe(payer);
      expect(await attempt(await claim(job), [], undefined, wallets), 'it is waited for').toBeUndefined();
      expect(await recordOf(job)).toMatchObject({ status: 'running', attempts: 1 });
      await wallets.release(inUse);
      await wallets.rest(payer!);
      expect(await attempt(await claim(job), [failed], undefined, wallets), 'also while it rests').toBe(
        payer,
      );
    });

    test.each([{ unpaid: true }, { wallet_empty: true }])(
      'is retried by the next wallet after %j',
      async (failure) => {
        const [job, wallets] = [await accepted(), await pool()];
        const registered = { stage: 'registered', object_id: '0x1', blob_id: newBlobId() } as const;
        const first = await attempt(
          await claim(job),
          [registered, { ...failed, ...failure }],
          undefined,
          wallets,
        );
        const second = await attempt(await claim(job), [], cutOff, wallets);
        expect(second).toMatch(/^0x[123]$/);
        expect(second).not.toBe(first);
        expect(await attempt(await claim(job), [failed], undefined, wallets)).toBe(second);
      },
    );

    test('is retried by another wallet if the first is no longer in the pool', async () => {
      const job = await accepted();
      const former = (await createWalletPool(database.db, ['0xf']))!;
      expect(await attempt(await claim(job), [], cutOff, former)).toBe('0xf');
      expect(await attempt(await claim(job), [failed], undefined, await pool())).toMatch(/^0x[123]$/);
    });
  });

  test('of a memory that is forgotten during it is completed, so that its blob can be listed', async () => {
    const [job, blobId] = [await accepted(), newBlobId()];
    const namespace = { accountId: job.accountId, namespace: job.namespace, tag: Buffer.alloc(16, 1) };
    const registered = { stage: 'registered', object_id: '0x7', blob_id: blobId } as const;
    async function* checkpoints(): AsyncGenerator<UploadCheckpoint> {
      yield registered;
      await database.db.transaction((tx) => deleteMemories(tx, namespace, [job.id]));
      yield { ...registered, stage: 'relayed' };
      yield { ...registered, stage: 'certified' };
      yield { ...registered, stage: 'done', end_epoch: 9 };
    }
    await attempt(await claim(job), checkpoints());
    expect(await forgottenObjects(database.db, namespace, [job.id])).toEqual({ free: ['0x7'], shared: 0 });
    expect(await blobCache.getMany([blobId])).toEqual([undefined]);
  });

  test('records its blob before anything is paid, so that a crash and a forget leave no unlisted blob', async () => {
    const [job, blobId] = [await accepted(), newBlobId()];
    const namespace = { accountId: job.accountId, namespace: job.namespace, tag: Buffer.alloc(16, 1) };
    async function* checkpoints(): AsyncGenerator<UploadCheckpoint> {
      yield { stage: 'named', blob_id: blobId };
      // The sidecar pays from here on
      const { rows } = await database.db.query<{ blob_ids: unknown }>(
        "SELECT checkpoint -> 'blob_ids' AS blob_ids FROM memory_job WHERE id = $1",
        [job.id],
      );
      expect(rows).toEqual([{ blob_ids: [blobId] }]);
      throw new TypeError('killed');
    }
    await attempt(await claim(job), checkpoints());
    await database.db.transaction((tx) => deleteMemories(tx, namespace, [job.id]));
    const { rows } = await database.db.query('SELECT blob_id FROM stray_blob WHERE account_id = $1', [
      job.accountId,
    ]);
    expect(rows).toEqual([{ blob_id: blobId }]);
  });

  test('of a memory that is forgotten before anything is paid is not started', async () => {
    const job = await accepted();
    const namespace = { accountId: job.accountId, namespace: job.namespace, tag: Buffer.alloc(16, 1) };
    let paid = false;
    async function* checkpoints(): AsyncGenerator<UploadCheckpoint> {
      await database.db.transaction((tx) => deleteMemories(tx, namespace, [job.id]));
      yield { stage: 'named', blob_id: newBlobId() };
      paid = true;
    }
    await attempt(await claim(job), checkpoints());
    expect(paid).toBe(false);
  });

  test('leaves nothing in the cache if its end could not be saved and its memory is forgotten', async () => {
    const [job, blobId] = [await accepted(), newBlobId()];
    const namespace = { accountId: job.accountId, namespace: job.namespace, tag: Buffer.alloc(16, 1) };
    const query = database.db.query;
    async function* checkpoints(): AsyncGenerator<UploadCheckpoint> {
      database.db.query = () => Promise.reject(new Error('away'));
      yield { stage: 'done', object_id: '0x1', blob_id: blobId, end_epoch: 9 };
    }
    await attempt(await claim(job), checkpoints());
    database.db.query = query;
    await database.db.transaction((tx) => deleteMemories(tx, namespace, [job.id]));
    expect(await blobCache.getMany([blobId])).toEqual([undefined]);
  });

  test('of a memory that is forgotten right after it is done leaves nothing in the cache', async () => {
    const [job, blobId] = [await accepted(), newBlobId()];
    const namespace = { accountId: job.accountId, namespace: job.namespace, tag: Buffer.alloc(16, 1) };
    const set = blobCache.set;
    blobCache.set = async (...args) => {
      await database.db.transaction((tx) => deleteMemories(tx, namespace, [job.id]));
      await set(...args);
    };
    await attempt(await claim(job), [{ stage: 'done', object_id: '0x1', blob_id: blobId, end_epoch: 9 }]);
    blobCache.set = set;
    expect(await blobCache.getMany([blobId])).toEqual([undefined]);
  });

  test('of a worker that lost its lease writes nothing', async () => {
    const [job, blobId] = [await accepted(), newBlobId()];
    const late = await claim(job);
    await database.db.query("UPDATE memory_job SET lease_until = now() - interval '1 second' WHERE id = $1", [
      job.id,
    ]);
    const current = await claim(job);
    await attempt(late, [transient]);
    await attempt(late, [{ stage: 'done', blob_id: newBlobId(), end_epoch: 9 }]);
    expect(await recordOf(job)).toMatchObject({ status: 'running', attempts: 0 });
    await attempt(current, [{ stage: 'done', blob_id: blobId, end_epoch: 9 }]);
    expect(await recordOf(job)).toMatchObject({ status: 'done', blob_id: blobId });
  });
});

test('has retry delays of at most a minute, with jitter between half and all of it', () => {
  const longest = [0, 1, 2, 3, 4, 100].map((attempt) => retryDelayMs(attempt, () => 1));
  expect(longest).toEqual([1_000, 3_000, 9_000, 27_000, 60_000, 60_000]);
  expect(retryDelayMs(2, () => 0)).toBe(4_500);
});
