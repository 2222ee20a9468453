import { randomBytes, randomUUID } from 'node:crypto';
import { ApiError } from '@memrelay/protocol/errors';
import type { StoreObject, UploadCheckpoint } from '@memrelay/protocol/sidecar-api';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sha256 } from '../../src/base/sha256.ts';
import { createMemoryBlobCache } from '../../src/blobs/blob-cache.ts';
import { insertJobs } from '../../src/jobs/rows/accept-jobs.ts';
import { type ClaimedJob, claimJobs } from '../../src/jobs/rows/claim-jobs.ts';
import { readJobs } from '../../src/jobs/rows/read-jobs.ts';
import { withCompanions } from '../../src/jobs/upload/pack-quilt.ts';
import { uploadJobs } from '../../src/jobs/upload/upload-stage.ts';
import type { SidecarClient } from '../../src/sidecar/sidecar-client.ts';
import type { UploadRequest } from '../../src/sidecar/upload-through.ts';
import { accountsOf } from '../support/accounts.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { sampleEnvelope } from '../support/sample-envelope.ts';
import { textJob } from '../support/text-job.ts';

const [alice, bob] = [`0x${'a1'.repeat(32)}`, `0x${'b0'.repeat(32)}`];
const blobId = randomBytes(32).toString('base64url');

describe.each(databases)(
  'an account that is transferred after a memory was accepted, on $name',
  ({ create }) => {
    let database: TestDb;
    let account: Buffer;
    let owner: string;
    const onChain = new Map<string, StoreObject[]>();
    beforeAll(async () => {
      database = await create();
    });
    afterAll(() => database.drop());
    beforeEach(async () => {
      await database.db.query('DELETE FROM memory_job');
      account = randomBytes(32);
      owner = alice;
      onChain.clear();
    });

    async function accept(): Promise<string> {
      const { envelope, envelopeId } = sampleEnvelope();
      const job = textJob(account, '', {
        owner: alice,
        envelope,
        envelopeId,
        envelopeSha256: sha256(envelope),
      });
      await insertJobs(database.db, [{ ...job, outbox: undefined }], 'uploading');
      return job.id;
    }

    async function claim(): Promise<ClaimedJob[]> {
      await database.db.query("UPDATE memory_job SET run_at = now() WHERE status = 'running'");
      const [job] = await claimJobs(database.db, 'uploading', 1, randomUUID());
      return job ? withCompanions(database.db, job, { maxItems: 20, nShards: 31 }) : [];
    }

    /** One attempt; returns the sidecar's request. */
    async function attempt(
      answer: Iterable<UploadCheckpoint>,
      accounts = accountsOf(() => owner),
    ): Promise<UploadRequest | undefined> {
      let asked: UploadRequest | undefined;
      const sidecar = {
        async *upload(request: UploadRequest) {
          asked = request;
          yield* answer;
        },
        storeObjects: async ({ owned }: { owned: { owner: string } }) => ({
          epoch: 1,
          objects: onChain.get(owned.owner) ?? [],
        }),
      } as unknown as SidecarClient;
      const parts = {
        db: database.db,
        accounts,
        sidecar,
        storeEpochs: 2,
        wallets: undefined,
        maxAttempts: 5,
      };
      const blobCache = createMemoryBlobCache({ ttlSeconds: 60, maxBlobBytes: 10_000 });
      const quiet = { alerts: undefined, isStopping: () => false, log: pino({ enabled: false }) };
      await uploadJobs({ ...parts, ...quiet, blobCache }, await claim());
      return asked;
    }

    const recordOf = async (id: string) => (await readJobs(database.db, account, [id])).get(id)!;
    const failing: UploadCheckpoint[] = [
      { stage: 'named', blob_id: blobId },
      { stage: 'failed', kind: 'transient', reason: 'busy' },
    ];
    const done: UploadCheckpoint[] = [{ stage: 'done', blob_id: blobId, object_id: '0x1', end_epoch: 9 }];

    test('has its blob sent to the new owner', async () => {
      const id = await accept();
      owner = bob;
      expect((await attempt(done))!.owner).toBe(bob);
      expect(await recordOf(id)).toMatchObject({ status: 'done', owner: bob });
    });

    test('has a quilt sent to the new owner, even if it was tried before', async () => {
      const ids = [await accept(), await accept()];
      expect((await attempt(failing))!.owner).toBe(alice);
      owner = bob;
      expect((await attempt(failing))!.owner).toBe(bob);
      expect((await recordOf(ids[1]!)).owner).toBe(bob);
      expect((await attempt(failing))!.owner).toBe(bob);
    });

    test('does not pay again for blobs that the former owner already has', async () => {
      const id = await accept();
      await attempt(failing);
      onChain.set(alice, [{ object_id: '0x1', blob_id: blobId, end_epoch: 9, certified: true }]);
      owner = bob;
      expect(await attempt(done)).toMatchObject({ owner: alice, resume: true });
      expect(await recordOf(id)).toMatchObject({ status: 'done', owner: alice });
    });

    test('waits without counting an attempt while the chain cannot report its owner', async () => {
      const id = await accept();
      const away = { account: () => Promise.reject(new ApiError('auth_unavailable')) };
      for (let i = 0; i < 6; i++) expect(await attempt(done, away)).toBeUndefined();
      expect(await recordOf(id)).toMatchObject({ status: 'running', attempts: 0 });
      owner = bob;
      expect(await attempt(done)).toMatchObject({ owner: bob, resume: false });
    });
  },
);
