import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { settleDuplicate } from '../../src/jobs/queue/settle-duplicate.ts';
import type { NewJob } from '../../src/jobs/rows/accept-jobs.ts';
import { type ClaimedJob, claimJobs } from '../../src/jobs/rows/claim-jobs.ts';
import { deleteMemories } from '../../src/jobs/rows/forget-rows.ts';
import { retryJob } from '../../src/jobs/rows/retry-job.ts';
import { saveFailed } from '../../src/jobs/rows/save-progress.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { lexical } from '../support/index-parts.ts';
import { textJobs } from '../support/text-jobs.ts';

/** What the upload knows about the memory that keeps a text: nothing. */
const blind = { model: undefined, readable: undefined };

describe.each(databases)('a retry on $name', ({ name, create }) => {
  let database: TestDb;
  beforeAll(async () => {
    database = await create();
  });
  afterEach(() => clear());
  afterAll(() => database.drop());

  const {
    accountId,
    newJob,
    accept,
    embedDue,
    claimUploads,
    nextUpload,
    upload,
    fail,
    recordOf,
    rowOf,
    memories,
    clear,
    waitingForLocks,
  } = textJobs(() => database.db);

  const owner = `0x${'ab'.repeat(32)}`;
  const retry = ({ id }: { id: string }) => retryJob(database.db, accountId, id, owner);

  test('finds nothing when its text was forgotten in the meantime, even by the id of another job that stored it', async () => {
    const [first] = await accept(newJob('said, failed, said again'));
    await embedDue();
    await fail(await nextUpload());
    const [second] = await accept(newJob('said, failed, said again'));
    await embedDue();
    await upload(await nextUpload());
    const [other] = await accept(newJob('something else'));
    await embedDue();
    await fail(await nextUpload());
    const namespace = { accountId, namespace: 'default', tag: Buffer.alloc(16, 1) };
    await database.db.transaction((tx) => deleteMemories(tx, namespace, [second!.id]));
    expect(await retry(first!)).toBeUndefined();
    expect(await memories()).toMatchObject([{ id: other!.id }]);
    expect(await retry(other!)).toBe('uploading');
  });

  test('continues with the text after a failed embedding, and with the envelope after a failed upload', async () => {
    const [job] = await accept(newJob('tried again'));
    const [claimed] = await claimJobs(database.db, 'embedding', 1, randomUUID());
    await saveFailed(database.db, claimed!, 'embedding_rejected');
    expect(await retry(job!)).toBe('queued');
    expect(await recordOf(job!)).toEqual({
      job_id: job!.id,
      status: 'running',
      owner: job!.owner,
      namespace: 'default',
      stage: 'queued',
      attempts: 0,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(await embedDue()).toBe(1);
    await fail(await nextUpload());
    expect(await memories()).toMatchObject([{ state: 'failed' }]);
    expect(await retry(job!)).toBe('uploading');
    expect(await memories()).toMatchObject([{ state: 'pending' }]);
    const again = await nextUpload();
    expect(again).toMatchObject({ attempts: 0, envelope: job!.envelope });
    // Looks for the first attempt's result on chain
    expect(again.uploadClaims).toBe(2);
    const blobId = await upload(again);
    expect(await recordOf(job!)).toMatchObject({ status: 'done', blob_id: blobId });
  });

  test("uploads for the account's current owner", async () => {
    const [job] = await accept(newJob('stored for another'));
    await embedDue();
    await fail(await nextUpload());
    const newOwner = `0x${'cd'.repeat(32)}`;
    expect(await retryJob(database.db, accountId, job!.id, newOwner)).toBe('uploading');
    expect(await nextUpload()).toMatchObject({ id: job!.id, owner: newOwner });
  });

  test('returns nothing for a job that has not failed, is unknown or of another account, and succeeds once if concurrent', async () => {
    const [job] = await accept(newJob('retried once'));
    expect(await retry(job!)).toBeUndefined();
    await embedDue();
    await fail(await nextUpload());
    expect(await retryJob(database.db, randomBytes(32), job!.id, owner)).toBeUndefined();
    expect(await retry({ id: randomUUID() })).toBeUndefined();
    const answers = await Promise.all(Array.from({ length: 6 }, () => retry(job!)));
    expect(answers.filter((answer) => answer === 'uploading').length).toBe(1);
    expect(answers.filter((answer) => answer === undefined).length).toBe(5);
    await upload(await nextUpload());
    expect(await retry(job!)).toBeUndefined();
  });

  /** A job that failed its upload, and another with its text that replaced it. */
  async function displaced(): Promise<[NewJob, NewJob]> {
    const [first] = await accept(newJob('displaced'));
    await embedDue();
    await fail(await nextUpload());
    const [second] = await accept(newJob('displaced'));
    expect(await embedDue()).toBe(1);
    return [first!, second!];
  }
  /** The upload of this job alone */
  const uploadOf = async (job: NewJob): Promise<ClaimedJob> => {
    await database.db.query('UPDATE memory_job SET run_at = now() WHERE id = $1', [job.id]);
    const claimed = (await claimUploads()).find(({ id }) => id === job.id);
    return claimed!;
  };

  test("of a replaced job ends with the other's blob, and leaves no second memory", async () => {
    const [first, second] = await displaced();
    const underway = await uploadOf(second);
    expect(await retry(first)).toBe('uploading');
    expect((await memories()).map(({ state }) => state)).toEqual(['failed', 'pending']);
    // The other is still in progress
    expect(await settleDuplicate(database.db, await uploadOf(first), blind)).toEqual({ is: 'settled' });
    expect((await recordOf(first)).status).toBe('running');
    const blobId = await upload(underway);
    expect(await settleDuplicate(database.db, await uploadOf(first), blind)).toEqual({ is: 'settled' });
    expect(await recordOf(first)).toMatchObject({ status: 'done', blob_id: blobId, deduplicated: true });
    expect(await memories()).toMatchObject([{ id: second.id, state: 'done', vectors: 1 }]);
    const { rows } = await database.db.query('SELECT memory_id FROM memory_vector');
    expect(rows).toEqual([{ memory_id: second.id }]);
  });

  test('of a job replaced long ago stores the text again, because the other blob may have expired', async () => {
    const [first, second] = await displaced();
    await upload(await uploadOf(second));
    await database.db.query("UPDATE memory SET created_at = now() - interval '2 hours'");
    await retry(first);
    const again = await uploadOf(first);
    expect(await settleDuplicate(database.db, again, blind)).toEqual({ is: 'own' });
    await upload(again);
    expect(await recordOf(first)).not.toHaveProperty('deduplicated');
    expect((await memories()).map(({ state }) => state)).toEqual(['done', 'done']);
  });

  test('of a replaced job becomes current again when the other fails', async () => {
    const [first, second] = await displaced();
    const underway = await uploadOf(second);
    await retry(first);
    await fail(underway);
    const again = await uploadOf(first);
    expect(await settleDuplicate(database.db, again, blind)).toEqual({ is: 'own' });
    const blobId = await upload(again);
    expect(await recordOf(first)).toMatchObject({ status: 'done', blob_id: blobId });
    expect(await recordOf(first)).not.toHaveProperty('deduplicated');
    // And the other, when retried, ends with it
    await retry(second);
    expect(await settleDuplicate(database.db, await uploadOf(second), blind)).toEqual({
      is: 'settled',
    });
    expect(await memories()).toMatchObject([{ id: first.id, state: 'done' }]);
  });

  test('leaves exactly one of two jobs as the original when a duplicate replaces it concurrently', async () => {
    for (let round = 0; round < 15; round++) {
      const text = `round ${round}`;
      const [first] = await accept(newJob(text));
      await embedDue();
      await fail(await nextUpload());
      const [second] = await accept(newJob(text));
      const [claimed] = await claimJobs(database.db, 'embedding', 1, randomUUID());
      expect(claimed!.id).toBe(second!.id);
      const [settlement] = await Promise.all([
        settleDuplicate(database.db, claimed!, { model: lexical.model, readable: undefined }),
        retry(first!),
      ]);
      const rows = await Promise.all([rowOf(first!), rowOf(second!)]);
      expect(rows.filter(({ duplicate }) => !duplicate).length).toBe(1);
      expect(settlement.is).toBe(rows[1]!.duplicate ? 'settled' : 'own');
      await database.db.query('DELETE FROM memory_job');
    }
  });

  // The embedded database has one connection: nothing waits inside a statement
  if (name === 'postgres')
    test('waits for a concurrent deletion of its job, and finds none', async () => {
      const [job] = await accept(newJob('removed'));
      await embedDue();
      await fail(await nextUpload());
      const { retrying } = await database.db.transaction(async (tx) => {
        await tx.query('DELETE FROM known_text WHERE memory_id = $1', [job!.id]);
        const begun = retry(job!);
        await expect.poll(waitingForLocks, { timeout: 10_000 }).toBe(1);
        await tx.query('DELETE FROM memory_job WHERE id = $1', [job!.id]);
        return { retrying: begun };
      });
      expect(await retrying).toBeUndefined();
      const { rows } = await database.db.query('SELECT 1 FROM known_text');
      expect(rows).toEqual([]);
    });
});
