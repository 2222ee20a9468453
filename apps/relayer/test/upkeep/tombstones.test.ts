import { randomBytes } from 'node:crypto';
import { envelopeKind } from '@memrelay/envelope/header';
import type { StoreObject, UploadCheckpoint } from '@memrelay/protocol/sidecar-api';
import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Db } from '../../src/base/db/db.ts';
import { sha256 } from '../../src/base/sha256.ts';
import { blobOf } from '../../src/blobs/blob-of.ts';
import { insertJobs, type NewJob } from '../../src/jobs/rows/accept-jobs.ts';
import { deleteMemories } from '../../src/jobs/rows/forget-rows.ts';
import { pruneJobs } from '../../src/jobs/rows/prune-jobs.ts';
import { saveTombstonedBlobs } from '../../src/jobs/rows/tombstoned-blobs.ts';
import { renewWrapsAndTombstones } from '../../src/upkeep/renewals/renew-wraps-and-tombstones.ts';
import { accountsOf } from '../support/accounts.ts';
import { databases } from '../support/databases.ts';
import { quiltWorld } from '../support/quilt-world.ts';
import { textJob } from '../support/text-job.ts';

const bob = `0x${'b0'.repeat(32)}`;

describe.each(databases)('a tombstone on $name', ({ create }) => {
  const world = quiltWorld(create);
  const { blobCache, claim, upload, records, storedQuilt, accept } = world;
  let db: Db;
  beforeEach(async () => {
    ({ db } = world);
    await db.query('DELETE FROM buried_blob');
  });

  /** Deletes memories as the use case does; returns the id of the tombstone's job. */
  async function deleteAll(jobs: readonly NewJob[]): Promise<string> {
    const envelope = randomBytes(1_600);
    const tombstone = {
      ...textJob(world.account, '', { envelope, envelopeSha256: sha256(envelope) }),
      kind: envelopeKind.tombstone,
      outbox: undefined,
    };
    await db.transaction(async (tx) => {
      const ids = jobs.map(({ id }) => id);
      await deleteMemories(tx, world.namespace, ids);
      await insertJobs(tx, [tombstone], 'uploading');
      await saveTombstonedBlobs(tx, world.account, tombstone.id, ids);
    });
    return tombstone.id;
  }

  const stored = (end_epoch: number): UploadCheckpoint[] => [
    { stage: 'done', blob_id: randomBytes(32).toString('base64url'), object_id: '0xt', end_epoch },
  ];

  /** Jobs queued at this epoch while the owner holds these objects. */
  async function renew(
    epoch: number,
    objects: Pick<StoreObject, 'blob_id' | 'end_epoch'>[],
  ): Promise<number> {
    return renewWrapsAndTombstones(
      {
        db,
        blobCache,
        aggregators: { read: () => Promise.reject(new Error('all is cached')) },
        sidecar: {
          storeObjects: async ({ owned }) => ({
            epoch,
            objects: owned ? objects.map((object) => ({ ...object, object_id: '0xo', certified: true })) : [],
          }),
        },
        accounts: accountsOf(() => bob),
        perHour: 100,
        log: pino({ enabled: false }),
      },
      epoch,
      epoch + 1,
    );
  }

  const blobIdOf = async (job: NewJob): Promise<string> => blobOf((await records([job]))[0]!.blob_id!);

  test('is renewed for the current owner while its memory is alive in an object that outlives it', async () => {
    const jobs = await storedQuilt(3, '0x1');
    const quilt = await blobIdOf(jobs[0]!);
    const tombstone = await deleteAll(jobs.slice(0, 1));
    await upload(await claim(), () => stored(5));
    expect(await renew(3, [{ blob_id: quilt, end_epoch: 9 }]), 'not before its last epoch').toBe(0);
    expect(await renew(4, [{ blob_id: quilt, end_epoch: 9 }])).toBe(1);
    const [again] = await claim();
    expect(again).toMatchObject({ id: tombstone, owner: bob });
    expect((await upload([again!], () => stored(7))).minEndEpoch).toBe(6);
    expect(await renew(6, [{ blob_id: quilt, end_epoch: 7 }]), 'what ends with it').toBe(0);
    expect(await renew(6, [{ blob_id: quilt, end_epoch: 8 }]), 'its owner has prolonged that').toBe(1);
  });

  test('covers earlier blobs of its memory, and blobs that its uploads were about to store', async () => {
    const [first, second] = [await storedQuilt(1, '0x2'), await accept(1)];
    const former = randomBytes(32).toString('base64url');
    await db.query('INSERT INTO former_blob (account_id, blob_id, memory_id) VALUES ($1, $2, $3)', [
      world.account,
      former,
      first[0]!.id,
    ]);
    const preparedBlob = randomBytes(32).toString('base64url');
    await upload(await claim(), () => [
      { stage: 'named', blob_id: preparedBlob },
      { stage: 'failed', kind: 'transient', reason: 'busy' },
    ]);
    await deleteAll([...first, ...second]);
    await upload(await claim(), () => stored(5));
    for (const blob_id of [former, preparedBlob]) {
      expect(await renew(4, [{ blob_id, end_epoch: 9 }])).toBe(1);
      await upload(await claim(), () => stored(5));
    }
    expect(await renew(4, [{ blob_id: randomBytes(32).toString('base64url'), end_epoch: 9 }])).toBe(0);
  });

  test('is kept while any forgotten blob is alive, then deleted like other jobs', async () => {
    const jobs = await storedQuilt(1, '0x3');
    const blob_id = await blobIdOf(jobs[0]!);
    const tombstone = await deleteAll(jobs);
    await upload(await claim(), () => stored(5));
    await db.query("UPDATE memory_job SET updated_at = now() - interval '9 days'");
    expect(await pruneJobs(db, 7)).toBe(0);
    expect(await renew(4, [{ blob_id, end_epoch: 5 }])).toBe(0);
    expect(await pruneJobs(db, 7)).toBe(0);
    expect(await renew(4, [])).toBe(0);
    expect(await renew(4, [{ blob_id, end_epoch: 9 }]), 'it is not looked at again').toBe(0);
    expect(await pruneJobs(db, 7)).toBe(1);
    expect((await db.query('SELECT 1 FROM memory_job WHERE id = $1', [tombstone])).rows).toEqual([]);
  });
});
