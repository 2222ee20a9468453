import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { BlobReadError } from '../../src/blobs/aggregator-reads.ts';
import { deleteMemories, memoryIds } from '../../src/jobs/rows/forget-rows.ts';
import { pruneJobs } from '../../src/jobs/rows/prune-jobs.ts';
import { retryJob } from '../../src/jobs/rows/retry-job.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { lexical } from '../support/index-parts.ts';
import { textJobs } from '../support/text-jobs.ts';

describe.each(databases)('old jobs on $name', ({ create }) => {
  let database: TestDb;
  beforeAll(async () => {
    database = await create();
  });
  afterEach(() => jobs.clear());
  afterAll(() => database.drop());

  const jobs = textJobs(() => database.db);
  const namespace = { accountId: jobs.accountId, namespace: 'default', tag: Buffer.alloc(16, 1) };
  /** As if all of this had happened that many days ago. */
  const age = (days: number) =>
    database.db.query('UPDATE memory_job SET updated_at = updated_at - make_interval(days => $1)', [days]);
  const blobThere = { read: async () => ({ bytes: Buffer.alloc(0) }) as never };
  const blobGone = { read: () => Promise.reject(new BlobReadError('missing')) };
  /** Stored a week ago, and its job deleted since. */
  async function longStored(text: string) {
    const stored = await jobs.stored(text);
    await age(8);
    expect(await pruneJobs(database.db, 7)).toBe(1);
    await database.db.query("UPDATE memory SET created_at = now() - interval '8 days'");
    return stored;
  }

  test('deletes a job that was done long ago but not its memory, and keeps recent, running and failed jobs', async () => {
    const old = await jobs.stored('old');
    const [failed, running] = await jobs.accept(jobs.newJob('failed'), jobs.newJob('running'));
    await jobs.embedDue();
    for (const upload of await jobs.claimUploads()) if (upload.id === failed!.id) await jobs.fail(upload);
    await age(8);
    await database.db.query("UPDATE memory_job SET lease_until = now() + interval '1 hour' WHERE id = $1", [
      running!.id,
    ]);
    const recent = await jobs.accept(jobs.newJob('recent')).then(async ([job]) => {
      await jobs.embedDue();
      await jobs.upload(await jobs.nextUpload());
      return job!;
    });
    expect(await pruneJobs(database.db, 7)).toBe(1);
    expect(await jobs.recordOf(old.job)).toBeUndefined();
    expect((await jobs.recordOf(failed!)).status).toBe('failed');
    expect((await jobs.recordOf(running!)).status).toBe('running');
    expect((await jobs.recordOf(recent)).status).toBe('done');
    expect((await jobs.memories()).map(({ id }) => id)).toContain(old.job.id);
    expect(await retryJob(database.db, jobs.accountId, failed!.id, '0x1')).toBe('uploading');
  });

  test('deletes more than one batch, and reads only old jobs', async () => {
    await database.db.query(
      `INSERT INTO memory_job (id, account_id, owner, namespace, delegate_pk, envelope_sha256, status, updated_at)
       SELECT gen_random_uuid(), $1, '0x', 'default', '', '', 'done', now() - make_interval(days => i % 2 * 8)
       FROM generate_series(1, 12002) AS i`,
      [jobs.accountId],
    );
    expect(await pruneJobs(database.db, 7)).toBe(6_001);
    expect(await pruneJobs(database.db, 7)).toBe(0);
  });

  test('still deduplicates a text whose job was deleted', async () => {
    const { blobId } = await longStored('tea');
    const [second] = await jobs.accept(jobs.newJob('tea'));
    expect(await jobs.embedDue(lexical, blobThere)).toBe(0);
    expect(await jobs.recordOf(second!)).toMatchObject({
      status: 'done',
      blob_id: blobId,
      deduplicated: true,
    });
  });

  test('stores a text again if its job was deleted and its blob is unreadable', async () => {
    await longStored('tea');
    const [second] = await jobs.accept(jobs.newJob('tea'));
    expect(await jobs.embedDue(lexical, blobGone)).toBe(1);
    await jobs.upload(await jobs.nextUpload());
    const record = await jobs.recordOf(second!);
    expect(record.status).toBe('done');
    expect(record.deduplicated).toBeUndefined();
  });

  test.each(['its id', 'the id of its blob'])(
    'forgets a memory without a job by %s, along with its text',
    async (by) => {
      const { job, blobId } = await longStored('tea');
      const ids = await memoryIds(database.db, namespace, [by === 'its id' ? job.id : blobId]);
      const removed = await database.db.transaction((tx) => deleteMemories(tx, namespace, ids));
      expect(removed).toMatchObject([{ id: job.id, blobId }]);
      for (const table of ['memory', 'memory_vector', 'known_text'])
        expect((await database.db.query(`SELECT 1 FROM ${table}`)).rows).toEqual([]);
      const [again] = await jobs.accept(jobs.newJob('tea'));
      expect((await jobs.rowOf(again!)).duplicate).toBe(false);
    },
  );

  test('forgets the duplicate jobs of a memory without a job', async () => {
    const { job } = await longStored('tea');
    const [second] = await jobs.accept(jobs.newJob('tea'));
    await jobs.embedDue(lexical, blobThere);
    const ids = await memoryIds(database.db, namespace, [second!.id]);
    expect(new Set(ids)).toEqual(new Set([second!.id, job.id]));
    await database.db.transaction((tx) => deleteMemories(tx, namespace, ids));
    expect(await jobs.recordOf(second!)).toBeUndefined();
    expect(
      await memoryIds(database.db, namespace, [randomUUID(), randomBytes(32).toString('base64url')]),
    ).toHaveLength(1);
  });
});
