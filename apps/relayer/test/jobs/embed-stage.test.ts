import { randomBytes, randomUUID } from 'node:crypto';
import { tagBytes } from '@memrelay/envelope/header';
import { questionOf } from '@memrelay/text-index/question';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Embedder, EmbeddingError } from '../../src/index/embedding/embedder.ts';
import { createEmbedStage } from '../../src/jobs/embed/embed-stage.ts';
import { insertJobs, type NewJob } from '../../src/jobs/rows/accept-jobs.ts';
import { claimJobs } from '../../src/jobs/rows/claim-jobs.ts';
import { deleteMemories } from '../../src/jobs/rows/forget-rows.ts';
import { readJobs } from '../../src/jobs/rows/read-jobs.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { blindIndex, indexerWith, lexical } from '../support/index-parts.ts';
import { noBlobs, outbox, textJob } from '../support/text-job.ts';

const silent = pino({ enabled: false });

describe.each(databases)('embedding on $name', ({ create }) => {
  let database: TestDb;
  const accountId = randomBytes(32);
  beforeAll(async () => {
    database = await create();
  });
  // Otherwise, retries would be claimed together with the jobs of the next test
  afterEach(() => database.db.query('DELETE FROM memory_job'));
  afterAll(() => database.drop());

  const job = (text: string): NewJob => textJob(accountId, text);

  /** Accepts the jobs, claims them as one batch and embeds it; the records are in the order of the jobs. */
  async function embed(jobs: NewJob[], embedder: Embedder = lexical) {
    await insertJobs(database.db, jobs, 'queued');
    const claimed = await claimJobs(database.db, 'embedding', 32, randomUUID());
    expect(claimed.length).toBe(jobs.length);
    const { db } = database;
    const indexer = indexerWith(embedder);
    await createEmbedStage({ db, indexer, outbox, aggregators: noBlobs, log: silent })(claimed);
    const records = await readJobs(
      database.db,
      accountId,
      jobs.map(({ id }) => id),
    );
    return jobs.map(({ id }) => records.get(id)!);
  }

  /** Fails for texts with this word, as a provider that rejects some texts does. */
  const failing = (word: string, kind: 'rejected' | 'transient'): Embedder => ({
    ...lexical,
    async embed(texts, accounts) {
      if (texts.some((text) => text.includes(word))) throw new EmbeddingError(kind, 'refused');
      return lexical.embed(texts, accounts);
    },
  });

  test('embeds short and long texts in one batch', async () => {
    const records = await embed([job('short'), job('many words '.repeat(2_000)), job('short again')]);
    expect(records.map((record) => record.stage)).toEqual(['uploading', 'uploading', 'uploading']);
    const { rows } = await database.db.query<{ chunks: number; maps: number[]; models: string[] }>(
      `SELECT count(*)::int AS chunks, array_agg(DISTINCT vector_key_id::int) AS maps,
         array_agg(DISTINCT embedding_model) AS models
       FROM memory_vector WHERE account_id = $1 GROUP BY memory_id ORDER BY 1`,
      [accountId],
    );
    for (const { maps, models } of rows) expect([maps, models]).toEqual([[1], [lexical.model]]);
    expect(rows.map((row) => row.chunks)).toEqual([1, 1, expect.any(Number)]);
    expect(rows[2]!.chunks).toBeGreaterThan(3);
  });

  test('writes tokens with the vectors, and deletes them when the memory is forgotten', async () => {
    const accepted = job('saffron rice');
    const { id, envelope } = accepted;
    await embed([accepted]);
    const { rows } = await database.db.query<{ tokens: string }>(
      'SELECT tokens::text FROM memory WHERE id = $1 AND state = $2',
      [id, 'pending'],
    );
    const tokens = blindIndex.questionTokens(
      accountId,
      tagBytes(envelope),
      questionOf('rice saffron', false),
    ).terms;
    expect(new Set(rows[0]!.tokens.slice(1, -1).split(','))).toEqual(new Set(tokens.map(String)));
    await database.db.transaction((tx) =>
      deleteMemories(tx, { accountId, namespace: 'default', tag: randomBytes(16) }, [id]),
    );
    const left = await database.db.query('SELECT 1 FROM memory WHERE tokens && $1::text::bigint[]', [
      rows[0]!.tokens,
    ]);
    expect(left.rows).toEqual([]);
  });

  test('retries a text that cannot be decrypted, with a reason, without delaying others', async () => {
    const damaged = { ...job('unreadable'), outbox: randomBytes(60) };
    const [before, broken, after] = await embed([job('before'), damaged, job('after')]);
    expect([before!.stage, after!.stage]).toEqual(['uploading', 'uploading']);
    expect(broken).toMatchObject({ status: 'running', attempts: 1, error_code: 'internal_error' });
    expect(Date.parse(broken!.next_retry_at!)).toBeGreaterThan(Date.now() - 1_000);
  });

  test('fails only the text that the provider rejects', async () => {
    const [good, bad] = await embed([job('good'), job('bad')], failing('bad', 'rejected'));
    expect(good!.stage).toBe('uploading');
    expect(bad).toMatchObject({ status: 'failed', error_code: 'embedding_rejected' });
  });

  test('retries all texts when the provider is unavailable', async () => {
    const records = await embed([job('one'), job('two')], failing('one', 'transient'));
    for (const record of records)
      expect(record).toMatchObject({
        status: 'running',
        attempts: 1,
        error_code: 'embedding_unavailable',
      });
  });

  test('retries a vector that the database rejects, without delaying others', async () => {
    const nan: Embedder = {
      ...lexical,
      async embed(texts, accounts) {
        const vectors = await lexical.embed(texts, accounts);
        return vectors.map((vector, i) => (texts[i]!.includes('odd') ? vector.fill(Number.NaN) : vector));
      },
    };
    const [before, odd, after] = await embed([job('before'), job('odd'), job('after')], nan);
    expect([before!.stage, after!.stage]).toEqual(['uploading', 'uploading']);
    expect(odd).toMatchObject({ status: 'running', attempts: 1, error_code: 'internal_error' });
  });
});
