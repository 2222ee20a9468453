import { randomBytes, randomUUID } from 'node:crypto';
import { secretRing } from '@memrelay/envelope/at-rest';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createAccountVectors } from '../src/embedding/account-vectors.ts';
import { type Embedder, EmbeddingError } from '../src/embedding/embedder.ts';
import { createLexicalEmbedder } from '../src/embedding/lexical-embedder.ts';
import { insertJobs, type NewJob } from '../src/jobs/accept-jobs.ts';
import { type ClaimedJob, claimJobs } from '../src/jobs/claim-jobs.ts';
import { createEmbedStage } from '../src/jobs/embed-stage.ts';
import { textHash } from '../src/jobs/known-texts.ts';
import { readJobs } from '../src/jobs/read-jobs.ts';
import { retryJob } from '../src/jobs/retry-job.ts';
import { LeaseLostError, saveFailed, saveUploaded } from '../src/jobs/save-progress.ts';
import { settleDuplicate, wakeDuplicates } from '../src/jobs/settle-duplicate.ts';
import { createOutbox } from '../src/memories/outbox.ts';
import { databases, type TestDb } from './support/databases.ts';

const silent = pino({ enabled: false });
const outbox = createOutbox(secretRing([randomBytes(32)]));
const lexical = createLexicalEmbedder(64);
const secret = randomBytes(32);
const tag = Buffer.alloc(16, 1);

test('a text hash is of one secret, account, namespace and text, to the byte', () => {
  const account = randomBytes(32);
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
  const accountId = randomBytes(32);
  beforeAll(async () => {
    database = await create();
  });
  afterEach(async () => {
    for (const table of ['memory_job', 'memory', 'memory_vector', 'known_text'])
      await database.db.query(`DELETE FROM ${table}`);
  });
  afterAll(() => database.drop());

  function newJob(text: string, importance = 0.5): NewJob {
    const place = { id: randomUUID(), accountId, namespace: 'default' };
    return {
      ...place,
      owner: `0x${'ab'.repeat(32)}`,
      delegatePk: randomBytes(32),
      outbox: outbox.seal(place, text),
      envelope: randomBytes(1_500),
      envelopeId: randomBytes(16),
      envelopeSha256: randomBytes(32),
      importance,
      textHash: textHash(secret, accountId, tag, text),
    };
  }
  async function accept(...jobs: NewJob[]): Promise<NewJob[]> {
    await insertJobs(database.db, jobs, 'queued');
    return jobs;
  }

  const embedded: string[] = [];
  /** Embeds whatever is due; returns how many texts went to the provider. */
  async function embedDue(embedder: Embedder = lexical): Promise<number> {
    const before = embedded.length;
    const watched: Embedder = {
      ...embedder,
      embed(texts) {
        embedded.push(...texts);
        return embedder.embed(texts);
      },
    };
    const vectors = createAccountVectors(64, () => Buffer.alloc(32, 7));
    const claimed = await claimJobs(database.db, ['queued', 'embedding'], 'embedding', 32, randomUUID());
    await createEmbedStage({ db: database.db, embedder: watched, outbox, vectors, log: silent })(claimed);
    return embedded.length - before;
  }
  const claimUploads = () => claimJobs(database.db, ['uploading', 'indexing'], 'uploading', 32, randomUUID());
  /** The next upload that is due, as its worker has it. */
  async function nextUpload(): Promise<ClaimedJob> {
    const claimed = await claimUploads();
    expect(claimed.length).toBe(1);
    return claimed[0]!;
  }
  async function upload(job: ClaimedJob): Promise<string> {
    const blobId = randomBytes(32).toString('base64url');
    await saveUploaded(database.db, job, { blobId, objectId: '0x1', endEpoch: 9 });
    await wakeDuplicates(database.db, job);
    return blobId;
  }
  async function fail(job: ClaimedJob): Promise<void> {
    await saveFailed(database.db, job, { code: 'upload_exhausted', message: 'no' });
    await wakeDuplicates(database.db, job);
  }
  const recordOf = async ({ id }: { id: string }) => (await readJobs(database.db, accountId, [id])).get(id)!;
  async function rowOf({ id }: { id: string }) {
    const { rows } = await database.db.query<{ duplicate: boolean; outbox: unknown; envelope: unknown }>(
      'SELECT duplicate, outbox, envelope FROM memory_job WHERE id = $1',
      [id],
    );
    return rows[0]!;
  }
  /** Memories with the number of their vectors. */
  async function memories() {
    const { rows } = await database.db.query<{
      id: string;
      state: string;
      vectors: number;
      importance: number;
    }>(
      `SELECT id, state, importance, (SELECT count(*)::int FROM memory_vector WHERE memory_id = memory.id) AS vectors
       FROM memory ORDER BY created_at`,
    );
    return rows;
  }
  /** A text that went all the way, and its blob. */
  async function stored(text: string): Promise<{ job: NewJob; blobId: string }> {
    const [job] = await accept(newJob(text));
    await embedDue();
    return { job: job!, blobId: await upload(await nextUpload()) };
  }

  test('a text that is stored ends a second job with its blob, without another embedding, upload or vector', async () => {
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
    // The kept one weighs as much as the heavier of both
    expect(await memories()).toEqual([
      { id: first.id, state: 'done', vectors: 1, importance: expect.closeTo(0.9, 5) },
    ]);
  });

  test('the first of a bulk is not embedded with its twins; they wait for it and end with it', async () => {
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

  test('accepted at once, in bulks of any order, every text is kept by one job and no bulk fails', async () => {
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
    test('bulks of the same texts in another order end, whoever they meet', async () => {
      const hashOf = (text: string) => textHash(secret, accountId, tag, text).toString('hex');
      const texts = ['one', 'two', 'three'].sort((a, b) => (hashOf(a) < hashOf(b) ? -1 : 1));
      const { bulks } = await database.db.transaction(async (tx) => {
        await insertJobs(tx, [newJob(texts[1]!)], 'queued');
        const both = [texts, texts.toReversed()].map((order) => accept(...order.map((text) => newJob(text))));
        const waiting = async () => {
          const { rows } = await database.db.query<{ count: number }>(
            `SELECT count(*)::int AS count FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          );
          return rows[0]!.count;
        };
        await expect.poll(waiting, { timeout: 10_000 }).toBe(2);
        return { bulks: both };
      });
      await expect(Promise.all(bulks)).resolves.toHaveLength(2);
    });

  test('when the first fails for good one duplicate takes its place, and nothing is lost', async () => {
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

  test('a text that the provider refuses is refused to its duplicate by itself, and each ends with the reason', async () => {
    const refusing: Embedder = {
      ...lexical,
      embed: () => Promise.reject(new EmbeddingError('rejected', 'refused')),
    };
    const [first] = await accept(newJob('refused'));
    expect(await embedDue(refusing)).toBe(1);
    const [second] = await accept(newJob('refused'));
    expect(await embedDue(refusing)).toBe(1);
    for (const job of [first!, second!])
      expect(await recordOf(job)).toMatchObject({ status: 'failed', error: { code: 'embedding_rejected' } });
  });

  test('a text whose memory was removed is stored again', async () => {
    const { job } = await stored('forgotten');
    await database.db.query('DELETE FROM memory WHERE id = $1', [job.id]);
    const [again] = await accept(newJob('forgotten'));
    expect(await embedDue()).toBe(1);
    await upload(await nextUpload());
    expect(await recordOf(again!)).not.toHaveProperty('deduplicated');
    await accept(newJob('forgotten'));
    expect(await embedDue()).toBe(0);
  });

  test('after a change of the model the text that comes again gives the kept memory its vectors', async () => {
    const { job, blobId } = await stored('older than the model');
    const today: Embedder = { ...lexical, model: 'model of today' };
    const [again] = await accept(newJob('older than the model'));
    expect(await embedDue(today)).toBe(1);
    expect(await recordOf(again!)).toMatchObject({ status: 'done', blob_id: blobId, deduplicated: true });
    expect(await memories()).toMatchObject([{ id: job.id, vectors: 2 }]);
    await accept(newJob('older than the model'));
    expect(await embedDue(today)).toBe(0);
  });

  test('a worker that lost its lease settles nothing', async () => {
    await stored('leased');
    const [second] = await accept(newJob('leased'));
    const [late] = await claimJobs(database.db, ['queued'], 'embedding', 1, randomUUID());
    await database.db.query('UPDATE memory_job SET lease_token = $2 WHERE id = $1', [
      second!.id,
      randomUUID(),
    ]);
    await expect(settleDuplicate(database.db, late!, lexical.model)).rejects.toThrow(LeaseLostError);
    expect((await recordOf(second!)).status).toBe('running');
    expect((await rowOf(second!)).outbox).not.toBeNull();
  });

  describe('a retry', () => {
    const retry = ({ id }: { id: string }) => retryJob(database.db, accountId, id);

    test('of a failed embedding goes on with the text, of a failed upload with the envelope', async () => {
      const [job] = await accept(newJob('tried again'));
      const [claimed] = await claimJobs(database.db, ['queued'], 'embedding', 1, randomUUID());
      await saveFailed(database.db, claimed!, { code: 'embedding_rejected', message: 'no' });
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
      // What the first time reached is looked for on chain
      expect(again.uploadClaims).toBe(2);
      const blobId = await upload(again);
      expect(await recordOf(job!)).toMatchObject({ status: 'done', blob_id: blobId });
    });

    test('of what has not failed, is unknown or of another account is none; of two at once one is', async () => {
      const [job] = await accept(newJob('retried once'));
      expect(await retry(job!)).toBeUndefined();
      await embedDue();
      await fail(await nextUpload());
      expect(await retryJob(database.db, randomBytes(32), job!.id)).toBeUndefined();
      expect(await retry({ id: randomUUID() })).toBeUndefined();
      const answers = await Promise.all(Array.from({ length: 6 }, () => retry(job!)));
      expect(answers.filter((answer) => answer === 'uploading').length).toBe(1);
      expect(answers.filter((answer) => answer === undefined).length).toBe(5);
      await upload(await nextUpload());
      expect(await retry(job!)).toBeUndefined();
    });

    /** A job that failed its upload, and another with its text that took its place. */
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
      const found = (await claimUploads()).find(({ id }) => id === job.id);
      return found!;
    };

    test('of a job whose place was taken ends with the blob of the other, and leaves no second memory', async () => {
      const [first, second] = await displaced();
      const underway = await uploadOf(second);
      expect(await retry(first)).toBe('uploading');
      expect((await memories()).map(({ state }) => state)).toEqual(['failed', 'pending']);
      // The other is still on its way
      expect(await settleDuplicate(database.db, await uploadOf(first), undefined)).toEqual({ is: 'settled' });
      expect((await recordOf(first)).status).toBe('running');
      const blobId = await upload(underway);
      expect(await settleDuplicate(database.db, await uploadOf(first), undefined)).toEqual({ is: 'settled' });
      expect(await recordOf(first)).toMatchObject({ status: 'done', blob_id: blobId, deduplicated: true });
      expect(await memories()).toMatchObject([{ id: second.id, state: 'done', vectors: 1 }]);
      const { rows } = await database.db.query('SELECT memory_id FROM memory_vector');
      expect(rows).toEqual([{ memory_id: second.id }]);
    });

    test('of a job whose place was taken takes it back when the other fails', async () => {
      const [first, second] = await displaced();
      const underway = await uploadOf(second);
      await retry(first);
      await fail(underway);
      const again = await uploadOf(first);
      expect(await settleDuplicate(database.db, again, undefined)).toEqual({ is: 'own' });
      const blobId = await upload(again);
      expect(await recordOf(first)).toMatchObject({ status: 'done', blob_id: blobId });
      expect(await recordOf(first)).not.toHaveProperty('deduplicated');
      // And the other, tried again, ends with it
      await retry(second);
      expect(await settleDuplicate(database.db, await uploadOf(second), undefined)).toEqual({
        is: 'settled',
      });
      expect(await memories()).toMatchObject([{ id: first.id, state: 'done' }]);
    });

    test('at the moment in which a duplicate takes its place leaves one of both as the real one', async () => {
      for (let round = 0; round < 15; round++) {
        const text = `round ${round}`;
        const [first] = await accept(newJob(text));
        await embedDue();
        await fail(await nextUpload());
        const [second] = await accept(newJob(text));
        const [claimed] = await claimJobs(database.db, ['queued'], 'embedding', 1, randomUUID());
        expect(claimed!.id).toBe(second!.id);
        const [settlement] = await Promise.all([
          settleDuplicate(database.db, claimed!, lexical.model),
          retry(first!),
        ]);
        const rows = await Promise.all([rowOf(first!), rowOf(second!)]);
        expect(rows.filter(({ duplicate }) => !duplicate).length).toBe(1);
        expect(settlement.is).toBe(rows[1]!.duplicate ? 'settled' : 'own');
        await database.db.query('DELETE FROM memory_job');
      }
    });
  });
});
