import { randomBytes, randomUUID } from 'node:crypto';
import { noQuestion } from '@memrelay/text-index/question';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { normalize } from '../../src/index/embedding/embedder.ts';
import * as accept from '../../src/jobs/rows/accept-jobs.ts';
import * as claims from '../../src/jobs/rows/claim-jobs.ts';
import * as reads from '../../src/jobs/rows/read-jobs.ts';
import { saveEmbedded } from '../../src/jobs/rows/save-embedded.ts';
import * as saves from '../../src/jobs/rows/save-progress.ts';
import { saveUploaded } from '../../src/jobs/rows/save-stored.ts';
import { readNamespaceSize, type SearchQuery, searchMemories } from '../../src/memories/rows/search-rows.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { sizeOf } from '../support/index-parts.ts';

const info = { model: 'test-model', keyId: 1 };
const dimension = 64;

function newJob(accountId: Buffer, namespace = 'default'): accept.NewJob {
  return {
    id: randomUUID(),
    accountId,
    owner: `0x${'ab'.repeat(32)}`,
    namespace,
    delegatePk: randomBytes(32),
    outbox: randomBytes(60),
    envelope: randomBytes(1_500),
    envelopeId: randomBytes(16),
    envelopeSha256: randomBytes(32),
    importance: 0.5,
  };
}

function randomVector(): Float32Array {
  return normalize(Float32Array.from({ length: dimension }, () => Math.random() - 0.5));
}

describe.each(databases)('jobs and search on $name', ({ create }) => {
  let database: TestDb;
  beforeAll(async () => {
    database = await create();
  });
  afterAll(() => database.drop());

  const claim = (limit = 10, token = randomUUID()) =>
    claims.claimJobs(database.db, 'embedding', limit, token);
  const claimUploads = (limit = 10, token = randomUUID()) =>
    claims.claimJobs(database.db, 'uploading', limit, token);

  /** Takes a job through both stages with these vectors, one per chunk. */
  async function complete(
    job: accept.NewJob,
    vectors: Float32Array[],
    blobId = randomBlobId(),
  ): Promise<string> {
    await accept.insertJobs(database.db, [job], 'queued');
    const [claimed] = await claim(1);
    const chunks = vectors.map((vector, no) => ({ no, vector }));
    await saveEmbedded(database.db, [{ job: claimed!, data: { info, chunks } }]);
    const [upload] = await claimUploads(1);
    await saveUploaded(database.db, upload!, { blobId, objectId: '0x1', endEpoch: 9 });
    return blobId;
  }
  const randomBlobId = () => randomBytes(32).toString('base64url');

  function query(accountId: Buffer, vector: Float32Array, more: Partial<SearchQuery> = {}): SearchQuery {
    return {
      accountId,
      namespace: 'default',
      model: info.model,
      vector,
      question: noQuestion,
      limit: 10,
      includePending: false,
      ...more,
    };
  }

  const search = async (wanted: SearchQuery, vectors: number) =>
    (await searchMemories(database.db, wanted, sizeOf(vectors))).matches;
  const vectorsOf = async (accountId: Buffer, model: string) =>
    (await readNamespaceSize(database.db, accountId, 'default', model)).vectors;

  test('takes a job from accepted to done, and deletes its text and envelope from the row', async () => {
    const accountId = randomBytes(32);
    const job = newJob(accountId);
    await accept.insertJobs(database.db, [job], 'queued');
    const read = async () => (await reads.readJobs(database.db, accountId, [job.id])).get(job.id)!;
    const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(await read()).toEqual({
      job_id: job.id,
      status: 'running',
      owner: job.owner,
      namespace: 'default',
      stage: 'queued',
      attempts: 0,
      created_at: isoTime,
      updated_at: isoTime,
    });

    const [claimed] = await claim();
    expect(claimed).toMatchObject({ id: job.id, outbox: job.outbox, envelope: job.envelope });
    expect((await read()).stage).toBe('embedding');
    const vector = randomVector();
    await saveEmbedded(database.db, [{ job: claimed!, data: { info, chunks: [{ no: 0, vector }] } }]);
    const outbox = await database.db.query<{ outbox: Buffer | null }>(
      'SELECT outbox FROM memory_job WHERE id = $1',
      [job.id],
    );
    expect(outbox.rows[0]!.outbox).toBeNull();

    expect(await search(query(accountId, vector), 1)).toEqual([]);
    const pending = await search(query(accountId, vector, { includePending: true }), 1);
    expect(pending).toMatchObject([{ id: job.id, state: 'pending', blobId: undefined }]);
    expect(pending[0]!.distance).toBeCloseTo(0, 3);
    expect((await reads.readPendingEnvelopes(database.db, accountId, [job.id])).get(job.id)).toEqual(
      job.envelope,
    );

    const [upload] = await claimUploads();
    const blobId = randomBlobId();
    await saveUploaded(database.db, upload!, { blobId, objectId: undefined, endEpoch: 12 });
    expect(await read()).toEqual({
      job_id: job.id,
      status: 'done',
      owner: job.owner,
      namespace: 'default',
      blob_id: blobId,
    });
    expect(await search(query(accountId, vector), 1)).toMatchObject([{ id: job.id, blobId }]);
    expect((await reads.readPendingEnvelopes(database.db, accountId, [job.id])).size).toBe(0);
  });

  test('gives a job to one worker only, until its lease expires', async () => {
    const accountId = randomBytes(32);
    const jobs = Array.from({ length: 8 }, () => newJob(accountId));
    await accept.insertJobs(database.db, jobs, 'queued');
    const claims = (await Promise.all([claim(5), claim(5), claim(5)]))
      .flat()
      .filter((job) => job.accountId.equals(accountId));
    expect(new Set(claims.map((job) => job.id)).size).toBe(8);
    expect(claims.length).toBe(8);
    expect(await claim()).toEqual([]);
    for (const job of claims) await saves.saveFailed(database.db, job, 'embedding_rejected');
  });

  test('writes nothing for a worker that lost its lease', async () => {
    const accountId = randomBytes(32);
    const job = newJob(accountId);
    await accept.insertJobs(database.db, [job], 'queued');
    const [first] = await claim();
    await database.db.query("UPDATE memory_job SET lease_until = now() - interval '1 second' WHERE id = $1", [
      job.id,
    ]);
    const [second] = await claim();
    expect(second!.id).toBe(job.id);
    const embedded = (claimed: claims.ClaimedJob) => [
      { job: claimed, data: { info, chunks: [{ no: 0, vector: randomVector() }] } },
    ];
    expect(await saveEmbedded(database.db, embedded(first!))).toEqual(new Set());
    expect(await saveEmbedded(database.db, embedded(second!))).toEqual(new Set([job.id]));
    const { rows } = await database.db.query('SELECT 1 FROM memory_vector WHERE memory_id = $1', [job.id]);
    expect(rows.length).toBe(1);
    const [upload] = await claimUploads();
    await saves.saveFailed(database.db, upload!, 'upload_rejected');
    await expect(
      saveUploaded(database.db, upload!, { blobId: randomBlobId(), objectId: undefined, endEpoch: 1 }),
    ).rejects.toThrow(saves.LeaseLostError);
  });

  test('counts a retry, reports its reason and waits until it is due', async () => {
    const accountId = randomBytes(32);
    const job = newJob(accountId);
    await accept.insertJobs(database.db, [job], 'queued');
    const [claimed] = await claim();
    await saves.saveRetry(database.db, claimed!, 'embedding_unavailable', 60_000);
    expect(await claim()).toEqual([]);
    const record = (await reads.readJobs(database.db, accountId, [job.id])).get(job.id)!;
    expect(record).toMatchObject({
      status: 'running',
      attempts: 1,
      error: 'The embedding provider did not respond. Retrying.',
      error_code: 'embedding_unavailable',
    });
    expect(Date.parse(record.next_retry_at!)).toBeGreaterThan(Date.now() + 50_000);
    await database.db.query('UPDATE memory_job SET run_at = now() WHERE id = $1', [job.id]);
    const [again] = await claim();
    expect(again!.attempts).toBe(1);
    await saves.saveFailed(database.db, again!, 'embedding_rejected');
    expect((await reads.readJobs(database.db, accountId, [job.id])).get(job.id)!).toMatchObject({
      status: 'failed',
      attempts: 2,
    });
  });

  test("does not find another account's job", async () => {
    const job = newJob(randomBytes(32));
    await accept.insertJobs(database.db, [job], 'queued');
    expect((await reads.readJobs(database.db, randomBytes(32), [job.id])).size).toBe(0);
    const [claimed] = await claim();
    await saves.saveFailed(database.db, claimed!, 'embedding_rejected');
  });

  test('searches only the account and namespace, and returns each memory once with its best chunk', async () => {
    const [mine, other] = [randomBytes(32), randomBytes(32)];
    const target = randomVector();
    await complete(newJob(other), [target]);
    await complete(newJob(mine, 'elsewhere'), [target]);
    const long = newJob(mine);
    const blobId = await complete(long, [randomVector(), target, randomVector()]);
    for (let i = 0; i < 5; i++) await complete(newJob(mine), [randomVector()]);
    const matches = await search(query(mine, target, { limit: 3 }), 8);
    expect(matches.length).toBe(3);
    expect(matches[0]).toMatchObject({ id: long.id, blobId });
    expect(matches[0]!.distance).toBeCloseTo(0, 3);
    expect(new Set(matches.map((match) => match.id)).size).toBe(3);
    expect(await vectorsOf(mine, info.model)).toBe(8);
  });

  test('compares only vectors of the current model in a search', async () => {
    const accountId = randomBytes(32);
    const target = randomVector();
    for (const model of [info.model, 'former-model']) {
      const job = newJob(accountId);
      await accept.insertJobs(database.db, [job], 'queued');
      const [claimed] = await claim(1);
      const data = { info: { ...info, model }, chunks: [{ no: 0, vector: target }] };
      await saveEmbedded(database.db, [{ job: claimed!, data }]);
    }
    // By the exact search, and by the shortlist
    for (const vectors of [2, 5_000])
      for (const model of [info.model, 'former-model', 'a-model-of-none']) {
        const options = { model, includePending: true };
        const matches = await search(query(accountId, target, options), vectors);
        expect(matches.length).toBe(model === 'a-model-of-none' ? 0 : 1);
      }
    expect(await vectorsOf(accountId, 'former-model')).toBe(1);
    for (const job of await claimUploads()) await saves.saveFailed(database.db, job, 'upload_rejected');
  });

  test('finds the same by the sign bit shortlist as by exact search', async () => {
    const accountId = randomBytes(32);
    const vectors = Array.from({ length: 60 }, randomVector);
    for (const vector of vectors) await complete(newJob(accountId), [vector]);
    const exact = await search(query(accountId, vectors[7]!), 60);
    const shortlisted = await search(query(accountId, vectors[7]!), 5_000);
    expect(shortlisted).toEqual(exact);
    expect(exact.length).toBe(10);
  });
});
