import { randomBytes, randomUUID } from 'node:crypto';
import type { StoreObjectsRequest, UploadCheckpoint } from '@memrelay/protocol/sidecar-api';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { BlobReadError } from '../src/blobs/aggregator-reads.ts';
import { createMemoryBlobCache } from '../src/blobs/blob-cache.ts';
import type { Db, Queryable } from '../src/db/db.ts';
import { insertJobs, insertManualMemory, type NewJob } from '../src/jobs/accept-jobs.ts';
import { type ClaimedJob, claimJobs } from '../src/jobs/claim-jobs.ts';
import { withCompanions } from '../src/jobs/pack-quilt.ts';
import { readJobs } from '../src/jobs/read-jobs.ts';
import { retryJob } from '../src/jobs/retry-job.ts';
import { uploadJobs } from '../src/jobs/upload-stage.ts';
import { deleteMemories, memoryIds } from '../src/memories/forget-rows.ts';
import { forgottenObjects, pruneFormerBlobs } from '../src/memories/forgotten-objects.ts';
import { startRepacking } from '../src/renewals/start-repacking.ts';
import { sha256 } from '../src/sha256.ts';
import {
  type SidecarClient,
  SidecarUnreachableError,
  type UploadRequest,
} from '../src/sidecar/sidecar-client.ts';
import { unknownAccounts } from './support/accounts.ts';
import { databases, type TestDb } from './support/databases.ts';
import { sampleEnvelope } from './support/sample-envelope.ts';

const silent = pino({ enabled: false });
const owner = `0x${'ab'.repeat(32)}`;

describe.each(databases)('a quilt on $name', ({ create }) => {
  let database: TestDb;
  let db: Db;
  let account: Buffer;
  let place: { accountId: Buffer; namespace: string; tag: Buffer };
  const blobCache = createMemoryBlobCache({ ttlSeconds: 60, maxBlobBytes: 10_000 });
  beforeAll(async () => {
    database = await create();
    db = database.db;
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    for (const table of ['memory_job', 'memory_vector', 'memory', 'forgotten_memory'])
      await db.query(`DELETE FROM ${table}`);
    await db.query('UPDATE shared_task SET due_at = now()');
    account = randomBytes(32);
    place = { accountId: account, namespace: 'default', tag: Buffer.alloc(16, 1) };
  });

  async function accept(count: number): Promise<NewJob[]> {
    const envelopes = Array.from({ length: count }, () => sampleEnvelope());
    const jobs = envelopes.map(({ envelope, envelopeId }) => ({
      id: randomUUID(),
      accountId: account,
      owner,
      namespace: 'default',
      delegatePk: randomBytes(32),
      outbox: undefined,
      envelope,
      envelopeId,
      envelopeSha256: sha256(envelope),
      importance: 0.5,
    }));
    await db.transaction(async (tx) => {
      await insertJobs(tx, jobs, 'uploading');
      for (const { id } of jobs)
        await insertManualMemory(tx, id, { model: 'm', keyId: 1 }, new Float32Array(8).fill(1));
    });
    return jobs;
  }

  async function claim(): Promise<ClaimedJob[]> {
    await db.query("UPDATE memory_job SET run_at = now() WHERE status = 'running'");
    const [job] = await claimJobs(db, 'uploading', 1, randomUUID());
    return job ? withCompanions(db, job, { maxItems: 20, nShards: 31 }) : [];
  }

  /** One attempt of a sidecar that answers so; what it was asked for. */
  async function upload(
    jobs: readonly ClaimedJob[],
    answer: (files: number) => Iterable<UploadCheckpoint> | AsyncIterable<UploadCheckpoint>,
    alerts?: { wake(): void },
    through = db,
  ): Promise<UploadRequest> {
    let asked: UploadRequest | undefined;
    async function* uploaded(request: UploadRequest): AsyncGenerator<UploadCheckpoint> {
      asked = request;
      yield* answer(request.content instanceof Uint8Array ? 1 : request.content.length);
    }
    await uploadJobs(
      {
        db: through,
        accounts: unknownAccounts,
        sidecar: { upload: uploaded } as unknown as SidecarClient,
        blobCache,
        storeEpochs: 2,
        wallets: undefined,
        alerts,
        maxAttempts: 5,
        isStopping: () => false,
        log: silent,
      },
      jobs,
    );
    return asked!;
  }

  const failed = (kind: 'transient' | 'permanent') => (): UploadCheckpoint[] => [
    { stage: 'failed', kind, reason: 'no' },
  ];

  /** A quilt, or a blob alone, of this object */
  function done(objectId: string): (files: number) => UploadCheckpoint[] {
    const blob = randomBytes(32);
    const patch = (i: number) => Buffer.from([1, i + 1, 0, i + 2, 0]);
    return (files) => [
      {
        stage: 'done',
        blob_id: blob.toString('base64url'),
        object_id: objectId,
        end_epoch: 9,
        ...(files > 1
          ? {
              patch_ids: Array.from({ length: files }, (_, i) =>
                Buffer.concat([blob, patch(i)]).toString('base64url'),
              ),
            }
          : {}),
      },
    ];
  }

  const records = async (jobs: readonly NewJob[]) => {
    const found = await readJobs(
      db,
      account,
      jobs.map(({ id }) => id),
    );
    return jobs.map(({ id }) => found.get(id));
  };
  const forget = (jobs: readonly NewJob[]) =>
    db.transaction((tx) =>
      deleteMemories(
        tx,
        place,
        jobs.map(({ id }) => id),
      ),
    );
  async function storedQuilt(count: number, objectId: string): Promise<NewJob[]> {
    const jobs = await accept(count);
    await upload(await claim(), done(objectId));
    return jobs;
  }

  test('is one upload; each memory has its own patch, in the cache at once', async () => {
    const jobs = await accept(4);
    const claimed = await claim();
    const asked = await upload(claimed, done('0x1'));
    expect(asked.content).toHaveLength(4);
    expect(asked.jobId).toBe(claimed[0]!.quiltId);
    const ids = (await records(jobs)).map((record) => record!.blob_id!);
    expect(new Set(ids).size).toBe(4);
    expect(ids.every((id) => id.length === 50)).toBe(true);
    expect(await blobCache.getMany(ids)).toEqual(jobs.map(({ envelope }) => envelope));
  });

  test('that is stored is so for all its jobs, also when the lease was lost meanwhile', async () => {
    const jobs = await accept(3);
    const claimed = await claim();
    await db.query("UPDATE memory_job SET lease_until = now() - interval '1 second' WHERE account_id = $1", [
      account,
    ]);
    const other = await claim();
    expect(other).toHaveLength(3);
    await upload(claimed, done('0x1'));
    expect(await records(jobs)).toMatchObject(new Array(3).fill({ status: 'done' }));
    const before = await records(jobs);
    await upload(other, done('0x2'));
    expect(await records(jobs)).toEqual(before);
  });

  test('that is refused for good is tried memory by memory, so that a bad one fails alone', async () => {
    const jobs = await accept(3);
    await upload(await claim(), failed('permanent'));
    const alone = [await claim(), await claim(), await claim()];
    expect(alone.map((group) => group.length)).toEqual([1, 1, 1]);
    await upload(alone[0]!, failed('permanent'));
    await upload(alone[1]!, done('0x1'));
    await upload(alone[2]!, done('0x2'));
    const statuses = (await records(jobs)).map((record) => record!.status);
    expect(statuses.toSorted()).toEqual(['done', 'done', 'failed']);
  });

  test('that is given up fails with a reason for each, and one alert for all', async () => {
    const jobs = await accept(3);
    await db.query('DELETE FROM alert');
    for (let i = 0; i < 5; i++) await upload(await claim(), failed('transient'), { wake: () => undefined });
    expect(await records(jobs)).toMatchObject(
      new Array(3).fill({ status: 'failed', attempts: 5, error: { code: 'upload_exhausted' } }),
    );
    const { rows } = await db.query<{ detail: object }>('SELECT detail FROM alert');
    expect(rows.map(({ detail }) => detail)).toMatchObject([{ memories: 3, reason: 'no' }]);
  });

  test('that was given up is retried as the same quilt, whichever of its jobs is', async () => {
    const jobs = await accept(3);
    const first = await claim();
    for (let i = 0; i < 5; i++) await upload(i === 0 ? first : await claim(), failed('transient'));
    expect(await retryJob(db, account, jobs[1]!.id, owner)).toBe('uploading');
    expect(await retryJob(db, account, jobs[0]!.id, owner)).toBeUndefined();
    const again = await claim();
    expect(again.map(({ id, quiltId }) => [id, quiltId])).toEqual(
      first.map(({ id, quiltId }) => [id, quiltId]),
    );
    expect((await upload(again, done('0x1'))).resume).toBe(true);
    expect(await records(jobs)).toMatchObject(new Array(3).fill({ status: 'done' }));
  });

  test('that was given up goes to the new owner as one quilt, apart from what is under way to the former', async () => {
    await accept(4);
    const [first, { id }] = (await claim()) as [ClaimedJob, ClaimedJob];
    const fail = "UPDATE memory_job SET status = 'failed', lease_token = NULL, lease_until = NULL";
    await db.query(`${fail} WHERE id <> $1`, [first.id]);
    expect(await retryJob(db, account, id, '0xcd')).toBe('uploading');
    expect((await claim()).map((job) => job.owner)).toEqual(['0xcd', '0xcd', '0xcd']);
  });

  test('of which one was forgotten on its way: the others are done, and its object is named only when they have left', async () => {
    const jobs = await accept(3);
    const claimed = await claim();
    await forget([jobs[0]!]);
    await upload(claimed, done('0x11'));
    expect((await records(jobs)).map((record) => record?.status)).toEqual([undefined, 'done', 'done']);
    expect(await forgottenObjects(db, place, [jobs[0]!.id])).toEqual({ free: [], shared: 1 });
  });

  test('that a relayer is killed over, at any call: what was forgotten of it is never left unsaid', async () => {
    const killedAfter = (calls: number): Db => {
      const alive =
        <Given extends unknown[], Answer>(call: (...given: Given) => Promise<Answer>) =>
        (...given: Given) =>
          calls-- > 0 ? call(...given) : Promise.reject(new Error('killed'));
      return {
        ...db,
        query: alive(db.query),
        transaction: alive<[(tx: Queryable) => Promise<unknown>], unknown>(db.transaction),
      } as Db;
    };
    for (let calls = 1, isDone = false; !isDone; calls++) {
      const jobs = await accept(3);
      const claimed = await claim();
      await forget([jobs[0]!]);
      await upload(claimed, done(`0xa${calls}`), undefined, killedAfter(calls));
      isDone = (await records(jobs))[1]!.status === 'done';
      const shared = isDone ? 1 : 0;
      expect(await forgottenObjects(db, place, [jobs[0]!.id])).toEqual({ free: [], shared });
      await db.query('DELETE FROM memory_job');
    }
  });

  test('one of whose memories is forgotten before anything is paid is packed without it', async () => {
    const jobs = await accept(3);
    const claimed = await claim();
    expect(claimed).toHaveLength(3);
    await forget([jobs[0]!]);
    let paid = false;
    await upload(claimed, function* (): Generator<UploadCheckpoint> {
      yield { stage: 'named', blob_id: randomBytes(32).toString('base64url') };
      paid = true;
    });
    expect(paid).toBe(false);
    await upload(await claim(), done('0x15'));
    expect((await records(jobs.slice(1))).map((record) => record!.status)).toEqual(['done', 'done']);
    expect(await forgottenObjects(db, place, [jobs[0]!.id])).toEqual({ free: [], shared: 0 });
  });

  test('is joined by a memory that was alone and could not be tried', async () => {
    const [first] = await accept(1);
    await upload(await claim(), () => {
      throw new SidecarUnreachableError(new Error('refused'));
    });
    await accept(2);
    const together = await claim();
    expect(together).toHaveLength(3);
    expect(together.map(({ id }) => id)).toContain(first!.id);
  });

  test('that was stored twice: the object that the others are in stays the one that the forgotten memory was in', async () => {
    const jobs = await accept(3);
    const slow = await claim();
    await db.query("UPDATE memory_job SET lease_until = now() - interval '1 second'");
    await upload(await claim(), done('0x13'));
    await forget([jobs[0]!]);
    await upload(slow, done('0x14'));
    expect(await forgottenObjects(db, place, [jobs[0]!.id])).toEqual({ free: [], shared: 1 });
  });

  test('that all are forgotten of is for deletion at once', async () => {
    const jobs = await storedQuilt(3, '0x12');
    await forget(jobs.slice(0, 1));
    await forget(jobs.slice(1));
    const ids = jobs.map(({ id }) => id);
    expect(await forgottenObjects(db, place, ids)).toEqual({ free: ['0x12'], shared: 0 });
  });

  describe('of which one is forgotten', () => {
    /** On chain from now on */
    function object(name: string): string {
      const id = `0x${name.repeat(32)}`;
      onChain.add(id);
      return id;
    }
    const onChain = new Set<string>();
    const parts = {
      sidecar: {
        storeObjects: async ({ object_ids }: StoreObjectsRequest) => ({
          epoch: 1,
          objects: object_ids
            .filter((id) => onChain.has(id))
            .map((object_id) => ({ object_id, blob_id: 'any', end_epoch: 9, certified: true })),
        }),
      },
      accounts: { account: async () => ({ owner }) as never },
      aggregators: { read: () => Promise.reject(new Error('all is cached')) },
      blobCache,
      windowMs: 0,
      log: silent,
    };

    /** Until the work that was found is queued */
    async function repack(): Promise<void> {
      const queued = Promise.withResolvers<void>();
      const task = await startRepacking({ ...parts, db, wakeUpload: queued.resolve });
      await queued.promise;
      await task.stop();
    }

    test('is left by the others, together, before its object is named; their old ids go on naming them', async () => {
      const jobs = await storedQuilt(4, object('21'));
      const before = (await records(jobs)).map((record) => record!.blob_id!);
      await forget(jobs.slice(0, 1));
      const named = () => forgottenObjects(db, place, [jobs[0]!.id]);
      expect(await named()).toEqual({ free: [], shared: 1 });
      await repack();
      expect(await named()).toEqual({ free: [], shared: 1 });
      const moving = await claim();
      expect(moving).toHaveLength(3);
      await upload(moving, done(object('22')));
      expect(await named()).toEqual({ free: [object('21')], shared: 0 });
      const after = (await records(jobs.slice(1))).map((record) => record!.blob_id!);
      expect(after.some((id) => before.includes(id))).toBe(false);
      expect(await memoryIds(db, place, [before[2]!])).toEqual([jobs[2]!.id]);

      await forget([jobs[2]!]);
      expect(await memoryIds(db, place, [before[2]!]), 'for who asks again').toEqual([jobs[2]!.id]);
      await db.query("UPDATE former_blob SET forgotten_at = forgotten_at - interval '1 day'");
      await pruneFormerBlobs(db);
      expect(await memoryIds(db, place, before.slice(1, 3)), 'for a day').toEqual([jobs[1]!.id]);
      await repack();
      const rest = await claim();
      await upload(rest, done(object('23')));
      expect(await forgottenObjects(db, place, [jobs[2]!.id])).toEqual({ free: [object('22')], shared: 0 });
      expect((await records(jobs.slice(1, 2)))[0]!.blob_id).toHaveLength(50);
    });

    test('is kept while one that lives on cannot be stored anew', async () => {
      const jobs = await storedQuilt(2, object('31'));
      await forget(jobs.slice(0, 1));
      await repack();
      const moving = await claim();
      expect(moving).toHaveLength(1);
      for (let i = 0; i < 5; i++) await upload(i === 0 ? moving : await claim(), failed('transient'));
      expect(await forgottenObjects(db, place, [jobs[0]!.id])).toEqual({ free: [], shared: 1 });
    });

    test('and that could not be left is left by the same jobs later, as the same quilt: there are never more of them', async () => {
      const jobs = await storedQuilt(4, object('41'));
      await forget(jobs.slice(0, 1));
      await repack();
      const moving = await claim();
      for (let i = 0; i < 5; i++) await upload(i === 0 ? moving : await claim(), failed('transient'));
      await db.query("UPDATE memory_job SET updated_at = now() - interval '2 hours'");
      await db.query('UPDATE shared_task SET due_at = now()');
      await repack();
      const again = await claim();
      expect(again.map(({ id, quiltId }) => [id, quiltId])).toEqual(
        moving.map(({ id, quiltId }) => [id, quiltId]),
      );
      expect((await upload(again, done(object('42')))).resume).toBe(true);
      expect(await forgottenObjects(db, place, [jobs[0]!.id])).toEqual({ free: [object('41')], shared: 0 });
    });

    test('is not brought back from the cache when its owner has deleted its object', async () => {
      const jobs = await storedQuilt(3, object('61'));
      onChain.clear();
      await forget(jobs.slice(0, 1));
      const looked = Promise.withResolvers<void>();
      const read = async (): Promise<never> => {
        looked.resolve();
        throw new BlobReadError('missing', { absentAt: 1 });
      };
      const task = await startRepacking({ ...parts, db, aggregators: { read }, wakeUpload: () => undefined });
      await looked.promise;
      await task.stop();
      expect(await claim()).toEqual([]);
    });

    test('rests when one in it cannot be read: it is not read again and again', async () => {
      const jobs = await storedQuilt(2, object('51'));
      await blobCache.delete((await records(jobs)).map((record) => record!.blob_id!));
      await forget(jobs.slice(0, 1));
      let reads = 0;
      const task = await startRepacking({
        ...parts,
        db,
        aggregators: {
          read: async () => {
            reads += 1;
            throw new BlobReadError('unavailable');
          },
        },
        wakeUpload: () => undefined,
      });
      const isIdle = async (): Promise<boolean> =>
        (await db.query("SELECT 1 FROM shared_task WHERE lease_until IS NULL AND name LIKE 'repack%'")).rows
          .length > 0;
      await expect.poll(async () => reads > 0 && (await isIdle())).toBe(true);
      await db.query('UPDATE shared_task SET due_at = now()');
      task.wake();
      await task.stop();
      expect(reads).toBe(1);
    });
  });
});
