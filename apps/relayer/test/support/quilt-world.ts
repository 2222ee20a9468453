import { randomBytes, randomUUID } from 'node:crypto';
import type { UploadCheckpoint } from '@memrelay/protocol/sidecar-api';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Db } from '../../src/base/db/db.ts';
import { sha256 } from '../../src/base/sha256.ts';
import { createMemoryBlobCache } from '../../src/blobs/blob-cache.ts';
import { insertJobs, insertManualMemory, type NewJob } from '../../src/jobs/rows/accept-jobs.ts';
import { type ClaimedJob, claimJobs } from '../../src/jobs/rows/claim-jobs.ts';
import { deleteMemories } from '../../src/jobs/rows/forget-rows.ts';
import { readJobs } from '../../src/jobs/rows/read-jobs.ts';
import { withCompanions } from '../../src/jobs/upload/pack-quilt.ts';
import { uploadJobs } from '../../src/jobs/upload/upload-stage.ts';
import type { SidecarClient } from '../../src/sidecar/sidecar-client.ts';
import type { UploadRequest } from '../../src/sidecar/upload-through.ts';
import { unknownAccounts } from './accounts.ts';
import type { databases, TestDb } from './databases.ts';
import { sampleEnvelope } from './sample-envelope.ts';

const silent = pino({ enabled: false });
export const owner = `0x${'ab'.repeat(32)}`;

/** Memories of one account (a new one in each test) that the test uploads together. */
export function quiltWorld(create: (typeof databases)[number]['create']) {
  let database: TestDb;
  let db: Db;
  let account: Buffer;
  let namespace: { accountId: Buffer; namespace: string; tag: Buffer };
  const blobCache = createMemoryBlobCache({ ttlSeconds: 60, maxBlobBytes: 10_000 });
  beforeAll(async () => {
    database = await create();
    db = database.db;
  });
  afterAll(() => database.drop());
  function newAccount(): void {
    account = randomBytes(32);
    namespace = { accountId: account, namespace: 'default', tag: Buffer.alloc(16, 1) };
  }
  beforeEach(async () => {
    for (const table of ['memory_job', 'memory_vector', 'memory', 'forgotten_memory'])
      await db.query(`DELETE FROM ${table}`);
    await db.query('UPDATE shared_task SET due_at = now()');
    newAccount();
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

  /** One attempt with a sidecar that responds like this; returns the sidecar's request. */
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
    const records = await readJobs(
      db,
      account,
      jobs.map(({ id }) => id),
    );
    return jobs.map(({ id }) => records.get(id));
  };
  const forget = (jobs: readonly NewJob[]) =>
    db.transaction((tx) =>
      deleteMemories(
        tx,
        namespace,
        jobs.map(({ id }) => id),
      ),
    );
  async function storedQuilt(count: number, objectId: string): Promise<NewJob[]> {
    const jobs = await accept(count);
    await upload(await claim(), done(objectId));
    return jobs;
  }

  return {
    get db() {
      return db;
    },
    get account() {
      return account;
    },
    get namespace() {
      return namespace;
    },
    blobCache,
    newAccount,
    accept,
    claim,
    upload,
    failed,
    done,
    records,
    forget,
    storedQuilt,
  };
}
