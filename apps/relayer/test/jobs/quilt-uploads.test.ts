import { randomBytes } from 'node:crypto';
import type { UploadCheckpoint } from '@memrelay/protocol/sidecar-api';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Db, Queryable } from '../../src/base/db/db.ts';
import type { ClaimedJob } from '../../src/jobs/rows/claim-jobs.ts';
import { forgottenObjects } from '../../src/jobs/rows/forgotten-objects.ts';
import { retryJob } from '../../src/jobs/rows/retry-job.ts';
import { SidecarUnreachableError } from '../../src/sidecar/sidecar-client.ts';
import { databases } from '../support/databases.ts';
import { owner, quiltWorld } from '../support/quilt-world.ts';

describe.each(databases)('a quilt on $name', ({ create }) => {
  const world = quiltWorld(create);
  const { blobCache, accept, claim, upload, failed, done, records, forget, storedQuilt } = world;
  let db: Db;
  let account: Buffer;
  let namespace: typeof world.namespace;
  beforeEach(() => {
    ({ db, account, namespace } = world);
  });

  test('is one upload in which each memory has its own patch, cached immediately', async () => {
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

  test('marks all jobs as stored, even if the lease was lost in the meantime', async () => {
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

  test('that is rejected permanently is retried memory by memory, so that a bad one fails alone', async () => {
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

  test('that fails five times has a reason in each job, and one alert', async () => {
    const jobs = await accept(3);
    await db.query('DELETE FROM alert');
    for (let i = 0; i < 5; i++) await upload(await claim(), failed('transient'), { wake: () => undefined });
    expect(await records(jobs)).toMatchObject(
      new Array(3).fill({ status: 'failed', attempts: 5, error_code: 'upload_exhausted' }),
    );
    const { rows } = await db.query<{ detail: object }>('SELECT detail FROM alert');
    expect(rows.map(({ detail }) => detail)).toMatchObject([{ memories: 3, reason: 'no' }]);
  });

  test('that failed is retried as the same quilt, whichever of its jobs is retried', async () => {
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

  test('that failed is retried for the new owner, separate from a running upload to the former owner', async () => {
    await accept(4);
    const [first, { id }] = (await claim()) as [ClaimedJob, ClaimedJob];
    const fail = "UPDATE memory_job SET status = 'failed', lease_token = NULL, lease_until = NULL";
    await db.query(`${fail} WHERE id <> $1`, [first.id]);
    expect(await retryJob(db, account, id, '0xcd')).toBe('uploading');
    expect((await claim()).map((job) => job.owner)).toEqual(['0xcd', '0xcd', '0xcd']);
  });

  test('of which one memory was forgotten completes the others, and does not list its object while they are in it', async () => {
    const jobs = await accept(3);
    const claimed = await claim();
    await forget([jobs[0]!]);
    await upload(claimed, done('0x11'));
    expect((await records(jobs)).map((record) => record?.status)).toEqual([undefined, 'done', 'done']);
    expect(await forgottenObjects(db, namespace, [jobs[0]!.id])).toEqual({ free: [], shared: 1 });
  });

  test('lists the object of a forgotten memory after a kill at any database call', async () => {
    const killedAfter = (calls: number): Db => {
      const alive =
        <Args extends unknown[], Answer>(call: (...args: Args) => Promise<Answer>) =>
        (...args: Args) =>
          calls-- > 0 ? call(...args) : Promise.reject(new Error('killed'));
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
      expect(await forgottenObjects(db, namespace, [jobs[0]!.id])).toEqual({ free: [], shared });
      await db.query('DELETE FROM memory_job');
    }
  });

  test('is repacked without a memory that is forgotten before anything is paid', async () => {
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
    expect(await forgottenObjects(db, namespace, [jobs[0]!.id])).toEqual({ free: [], shared: 0 });
  });

  test('is joined by a single memory whose upload could not be started', async () => {
    const [first] = await accept(1);
    await upload(await claim(), () => {
      throw new SidecarUnreachableError(new Error('refused'));
    });
    await accept(2);
    const together = await claim();
    expect(together).toHaveLength(3);
    expect(together.map(({ id }) => id)).toContain(first!.id);
  });

  test('that was stored twice keeps the object that the others and the forgotten memory are in', async () => {
    const jobs = await accept(3);
    const slow = await claim();
    await db.query("UPDATE memory_job SET lease_until = now() - interval '1 second'");
    await upload(await claim(), done('0x13'));
    await forget([jobs[0]!]);
    await upload(slow, done('0x14'));
    expect(await forgottenObjects(db, namespace, [jobs[0]!.id])).toEqual({ free: [], shared: 1 });
  });

  test('is listed for deletion immediately when all its memories are forgotten', async () => {
    const jobs = await storedQuilt(3, '0x12');
    await forget(jobs.slice(0, 1));
    await forget(jobs.slice(1));
    const ids = jobs.map(({ id }) => id);
    expect(await forgottenObjects(db, namespace, ids)).toEqual({ free: ['0x12'], shared: 0 });
  });
});
