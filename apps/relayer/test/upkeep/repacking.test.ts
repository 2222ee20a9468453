import type { StoreObjectsRequest } from '@memrelay/protocol/sidecar-api';
import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Db } from '../../src/base/db/db.ts';
import { BlobReadError } from '../../src/blobs/aggregator-reads.ts';
import { memoryIds } from '../../src/jobs/rows/forget-rows.ts';
import { forgottenObjects, pruneFormerBlobs } from '../../src/jobs/rows/forgotten-objects.ts';
import { sharedQuilts, sharedSince } from '../../src/jobs/rows/shared-quilts.ts';
import { startRepacking } from '../../src/upkeep/renewals/start-repacking.ts';
import { databases } from '../support/databases.ts';
import { owner, quiltWorld } from '../support/quilt-world.ts';

describe.each(databases)('a quilt on $name with a forgotten memory', ({ create }) => {
  const world = quiltWorld(create);
  const { blobCache, newAccount, claim, upload, failed, done, records, forget, storedQuilt } = world;
  let db: Db;
  let account: Buffer;
  let namespace: typeof world.namespace;
  beforeEach(() => {
    ({ db, account, namespace } = world);
  });

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
    times: { halfGoneMs: 0, atLatestMs: 0 },
    log: pino({ enabled: false }),
  };

  /** Until the work that was found is queued */
  async function repack(): Promise<void> {
    const queued = Promise.withResolvers<void>();
    const task = await startRepacking({ ...parts, db, wakeUpload: queued.resolve });
    await queued.promise;
    await task.stop();
  }

  test('is repacked before its object is listed, and the old ids still find the memories', async () => {
    const jobs = await storedQuilt(4, object('21'));
    const before = (await records(jobs)).map((record) => record!.blob_id!);
    await forget(jobs.slice(0, 1));
    const listedObjects = () => forgottenObjects(db, namespace, [jobs[0]!.id]);
    expect(await listedObjects()).toEqual({ free: [], shared: 1 });
    await repack();
    expect(await listedObjects()).toEqual({ free: [], shared: 1 });
    const moving = await claim();
    expect(moving).toHaveLength(3);
    await upload(moving, done(object('22')));
    expect(await listedObjects()).toEqual({ free: [object('21')], shared: 0 });
    const after = (await records(jobs.slice(1))).map((record) => record!.blob_id!);
    expect(after.some((id) => before.includes(id))).toBe(false);
    expect(await memoryIds(db, namespace, [before[2]!])).toEqual([jobs[2]!.id]);

    await forget([jobs[2]!]);
    expect(await memoryIds(db, namespace, [before[2]!]), 'for who asks again').toEqual([jobs[2]!.id]);
    await db.query("UPDATE former_blob SET forgotten_at = forgotten_at - interval '1 day'");
    await pruneFormerBlobs(db);
    expect(await memoryIds(db, namespace, before.slice(1, 3)), 'for a day').toEqual([jobs[1]!.id]);
    await repack();
    const rest = await claim();
    await upload(rest, done(object('23')));
    expect(await forgottenObjects(db, namespace, [jobs[2]!.id])).toEqual({ free: [object('22')], shared: 0 });
    expect((await records(jobs.slice(1, 2)))[0]!.blob_id).toHaveLength(50);
  });

  test('waits for more forgotten memories, but not once half of it is forgotten', async () => {
    const jobs = await storedQuilt(4, object('71'));
    const times = { halfGoneMs: 0, atLatestMs: 3_600_000 };
    await forget(jobs.slice(0, 1));
    expect(await sharedQuilts(db, times, 9)).toEqual([]);
    await db.query("UPDATE forgotten_memory SET forgotten_at = now() - interval '59 minutes'");
    expect(await sharedQuilts(db, times, 9)).toEqual([]);
    const since = (await sharedSince(db, account))!;
    expect(Math.abs(Date.now() - since.getTime() - 59 * 60_000)).toBeLessThan(30_000);
    await forget(jobs.slice(1, 2));
    const due = [{ accountId: account, objectId: object('71') }];
    expect(await sharedQuilts(db, times, 9)).toEqual(due);
    const other = await storedQuilt(4, object('72'));
    await forget(other.slice(0, 1));
    await db.query(
      `UPDATE forgotten_memory SET forgotten_at = now() - interval '61 minutes' WHERE object_id = '${object('72')}'`,
    );
    expect(await sharedQuilts(db, times, 9)).toHaveLength(2);
    expect(await sharedQuilts(db, times, 9, [object('72')])).toEqual(due);
  });

  test('is repacked even if another account fails', async () => {
    const [broken, brokenObject] = [account, object('81')];
    await forget((await storedQuilt(2, brokenObject)).slice(0, 1));
    newAccount();
    ({ account } = world);
    const jobs = await storedQuilt(2, object('82'));
    await forget(jobs.slice(0, 1));
    const known = (id: string) =>
      id.includes(broken.toString('hex')) ? Promise.reject(new Error('away')) : ({ owner } as never);
    const queued = Promise.withResolvers<void>();
    const task = await startRepacking({
      ...parts,
      accounts: { account: async (id) => known(id) },
      db,
      wakeUpload: queued.resolve,
    });
    await queued.promise;
    await task.stop();
    expect((await claim()).map(({ checkpoint }) => checkpoint.renews)).toEqual([jobs[1]!.id]);
  });

  test('is kept while one of its living memories cannot be stored again', async () => {
    const jobs = await storedQuilt(2, object('31'));
    await forget(jobs.slice(0, 1));
    await repack();
    const moving = await claim();
    expect(moving).toHaveLength(1);
    for (let i = 0; i < 5; i++) await upload(i === 0 ? moving : await claim(), failed('transient'));
    expect(await forgottenObjects(db, namespace, [jobs[0]!.id])).toEqual({ free: [], shared: 1 });
  });

  test('is retried by the same jobs as the same quilt after a failed repacking', async () => {
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
    expect(await forgottenObjects(db, namespace, [jobs[0]!.id])).toEqual({ free: [object('41')], shared: 0 });
  });

  test('is not restored from the cache after its owner deleted its object', async () => {
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

  test('is paused if one of its memories cannot be read, instead of being read repeatedly', async () => {
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
