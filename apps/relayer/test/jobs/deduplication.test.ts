import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { BlobReadError } from '../../src/blobs/aggregator-reads.ts';
import type { BlobReads } from '../../src/blobs/read-stored.ts';
import { type Embedder, EmbeddingError } from '../../src/index/embedding/embedder.ts';
import { settleDuplicate } from '../../src/jobs/queue/settle-duplicate.ts';
import { insertJobs, type NewJob } from '../../src/jobs/rows/accept-jobs.ts';
import { claimJobs } from '../../src/jobs/rows/claim-jobs.ts';
import { textHash } from '../../src/jobs/rows/known-texts.ts';
import { LeaseLostError } from '../../src/jobs/rows/save-progress.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { lexical } from '../support/index-parts.ts';
import { textJobs } from '../support/text-jobs.ts';

test('computes a text hash from secret, account, namespace and text, byte by byte', () => {
  const [secret, account] = [randomBytes(32), randomBytes(32)];
  const tag = Buffer.alloc(16, 1);
  const same = () => textHash(secret, account, tag, 'tea').toString('hex');
  const others = [
    textHash(randomBytes(32), account, tag, 'tea'),
    textHash(secret, randomBytes(32), tag, 'tea'),
    textHash(secret, account, Buffer.alloc(16, 2), 'tea'),
    textHash(secret, account, tag, 'tea '),
    textHash(secret, account, tag, 'Tea'),
  ];
  expect(same()).toBe(same());
  expect(new Set([same(), ...others.map((hash) => hash.toString('hex'))]).size).toBe(6);
});

describe.each(databases)('identical texts on $name', ({ name, create }) => {
  let database: TestDb;
  beforeAll(async () => {
    database = await create();
  });
  afterEach(() => clear());
  afterAll(() => database.drop());

  const {
    hashOf,
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
    stored,
    clear,
    waitingForLocks,
  } = textJobs(() => database.db);

  test('completes a duplicate job with the existing blob, without another embedding, upload or vector', async () => {
    const { job: first, blobId } = await stored('tea with lemon');
    const [second] = await accept(newJob('tea with lemon', 0.9));
    expect(await embedDue()).toBe(0);
    expect(await claimUploads()).toEqual([]);
    const { owner } = second!;
    expect(await recordOf(second!)).toEqual({
      job_id: second!.id,
      status: 'done',
      owner,
      namespace: 'default',
      blob_id: blobId,
      deduplicated: true,
    });
    expect(await recordOf(first)).not.toHaveProperty('deduplicated');
    expect(await rowOf(second!)).toMatchObject({ outbox: null, envelope: null });
    // The kept memory gets the higher importance of both
    expect(await memories()).toEqual([
      { id: first.id, state: 'done', vectors: 1, importance: expect.closeTo(0.9, 5) },
    ]);
  });

  test('embeds one of several equal texts in a bulk; the others wait and end with its blob', async () => {
    const jobs = await accept(
      ...Array.from({ length: 4 }, () => newJob('said four times')),
      newJob('said once'),
    );
    const twins = jobs.slice(0, 4);
    const rows = await Promise.all(twins.map(rowOf));
    expect(rows.filter(({ duplicate }) => !duplicate).length).toBe(1);
    expect(await embedDue()).toBe(2);
    const waiting = await Promise.all(twins.map(recordOf));
    expect(waiting.map(({ status, stage }) => `${status} ${stage}`).sort()).toEqual([
      'running queued',
      'running queued',
      'running queued',
      'running uploading',
    ]);
    expect(await embedDue()).toBe(0);
    const uploads = await claimUploads();
    expect(uploads.length).toBe(2);
    for (const job of uploads) await upload(job);
    expect(await embedDue()).toBe(0);
    const ended = await Promise.all(twins.map(recordOf));
    expect(new Set(ended.map(({ blob_id }) => blob_id)).size).toBe(1);
    expect(ended.filter(({ deduplicated }) => deduplicated).length).toBe(3);
    expect((await memories()).map(({ state, vectors }) => [state, vectors])).toEqual([
      ['done', 1],
      ['done', 1],
    ]);
  });

  test('keeps one job per text when bulks in any order arrive concurrently, and no bulk fails', async () => {
    const texts = Array.from({ length: 10 }, (_, i) => `text ${i}`);
    const jobs = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        accept(...(i % 2 ? texts : texts.toReversed()).map((text) => newJob(text))),
      ),
    );
    const { rows } = await database.db.query<{ kept: number; jobs: number }>(
      'SELECT count(*) FILTER (WHERE NOT duplicate)::int AS kept, count(*)::int AS jobs FROM memory_job GROUP BY text_hash',
    );
    expect(jobs.flat().length).toBe(120);
    expect(rows).toEqual(texts.map(() => ({ kept: 1, jobs: 12 })));
  });

  // The embedded database has one connection: nothing waits inside a statement
  if (name === 'postgres')
    test('completes bulks of the same texts in another order without a deadlock', async () => {
      const texts = ['one', 'two', 'three'].sort((a, b) => hashOf(a).compare(hashOf(b)));
      const { bulks } = await database.db.transaction(async (tx) => {
        await insertJobs(tx, [newJob(texts[1]!)], 'queued');
        const both = [texts, texts.toReversed()].map((order) => accept(...order.map((text) => newJob(text))));
        await expect.poll(waitingForLocks, { timeout: 10_000 }).toBe(2);
        return { bulks: both };
      });
      await expect(Promise.all(bulks)).resolves.toHaveLength(2);
    });

  test('promotes one duplicate when the first job fails for good, and loses nothing', async () => {
    const [first] = await accept(newJob('unlucky text'));
    const duplicates = await accept(newJob('unlucky text'), newJob('unlucky text'), newJob('unlucky text'));
    expect(await embedDue()).toBe(1);
    await fail(await nextUpload());
    expect(await embedDue()).toBe(1);
    const blobId = await upload(await nextUpload());
    expect(await embedDue()).toBe(0);
    const ended = await Promise.all(duplicates.map(recordOf));
    expect(ended.map(({ status, blob_id }) => [status, blob_id])).toEqual(
      duplicates.map(() => ['done', blobId]),
    );
    expect(ended.filter(({ deduplicated }) => deduplicated).length).toBe(2);
    expect((await recordOf(first!)).status).toBe('failed');
    expect((await memories()).filter(({ state }) => state === 'done').length).toBe(1);
  });

  test('rejects a duplicate separately if the provider rejects the text, each with the reason', async () => {
    const refusing: Embedder = {
      ...lexical,
      embed: () => Promise.reject(new EmbeddingError('rejected', 'refused')),
    };
    const [first] = await accept(newJob('refused'));
    expect(await embedDue(refusing)).toBe(1);
    const [second] = await accept(newJob('refused'));
    expect(await embedDue(refusing)).toBe(1);
    for (const job of [first!, second!])
      expect(await recordOf(job)).toMatchObject({ status: 'failed', error_code: 'embedding_rejected' });
  });

  test('stores a text again after its memory was removed', async () => {
    const { job } = await stored('forgotten');
    await database.db.query('DELETE FROM memory WHERE id = $1', [job.id]);
    const [again] = await accept(newJob('forgotten'));
    expect(await embedDue()).toBe(1);
    await upload(await nextUpload());
    expect(await recordOf(again!)).not.toHaveProperty('deduplicated');
    await accept(newJob('forgotten'));
    expect(await embedDue()).toBe(0);
  });

  describe('a memory that was stored more than an hour ago', () => {
    async function storedLongAgo(text: string): Promise<{ job: NewJob; blobId: string }> {
      const oldMemory = await stored(text);
      await database.db.query("UPDATE memory SET created_at = now() - interval '2 hours'");
      return oldMemory;
    }

    test('is read and compared byte by byte before its text counts as stored', async () => {
      const { job, blobId } = await storedLongAgo('old and there');
      const asked: string[] = [];
      const served = (bytes: Buffer): BlobReads => ({
        async read(id, isRight) {
          asked.push(id);
          if (isRight(bytes)) return bytes;
          throw new BlobReadError('unavailable');
        },
      });
      await database.db.query('UPDATE memory SET envelope_sha256 = sha256($1)', [job.envelope]);
      const [again] = await accept(newJob('old and there'));
      expect(await embedDue(lexical, served(job.envelope))).toBe(0);
      expect(asked).toEqual([blobId]);
      expect(await recordOf(again!)).toMatchObject({ blob_id: blobId, deduplicated: true });
      await accept(newJob('old and there'));
      expect(await embedDue(lexical, served(randomBytes(100)))).toBe(1);
    });

    test.each(['missing', 'unavailable'] as const)('is stored again if it is %s', async (kind) => {
      await storedLongAgo('old and gone');
      const gone: BlobReads = { read: () => Promise.reject(new BlobReadError(kind)) };
      const [again] = await accept(newJob('old and gone'));
      expect(await embedDue(lexical, gone)).toBe(1);
      const blobId = await upload(await nextUpload());
      expect(await recordOf(again!)).not.toHaveProperty('deduplicated');
      const [third] = await accept(newJob('old and gone'));
      expect(await embedDue(lexical, gone)).toBe(0);
      expect(await recordOf(third!)).toMatchObject({ blob_id: blobId, deduplicated: true });
    });
  });

  test('gets vectors of the new model when its text is sent again after a model change', async () => {
    const { job, blobId } = await stored('older than the model');
    const today: Embedder = { ...lexical, model: 'model of today' };
    const [again] = await accept(newJob('older than the model'));
    expect(await embedDue(today)).toBe(1);
    expect(await recordOf(again!)).toMatchObject({ status: 'done', blob_id: blobId, deduplicated: true });
    expect(await memories()).toMatchObject([{ id: job.id, vectors: 2 }]);
    await accept(newJob('older than the model'));
    expect(await embedDue(today)).toBe(0);
  });

  test('changes nothing for a worker that lost its lease', async () => {
    await stored('leased');
    const [second] = await accept(newJob('leased'));
    const [late] = await claimJobs(database.db, 'embedding', 1, randomUUID());
    await database.db.query('UPDATE memory_job SET lease_token = $2 WHERE id = $1', [
      second!.id,
      randomUUID(),
    ]);
    await expect(
      settleDuplicate(database.db, late!, { model: lexical.model, readable: undefined }),
    ).rejects.toThrow(LeaseLostError);
    expect((await recordOf(second!)).status).toBe('running');
    expect((await rowOf(second!)).outbox).not.toBeNull();
  });
});
