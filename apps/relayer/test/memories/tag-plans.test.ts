import { randomBytes } from 'node:crypto';
import { noQuestion } from '@memrelay/text-index/question';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Db } from '../../src/base/db/db.ts';
import type { TagTokens } from '../../src/index/context-tokens.ts';
import { filteredSize } from '../../src/memories/recall/returnable.ts';
import { firstPage, readMemoryPage } from '../../src/memories/rows/page-rows.ts';
import { searchMemories } from '../../src/memories/rows/search-rows.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { rowsReadBy } from '../support/query-plan.ts';

/** Searches and lists by tags in a namespace of 100,000 memories. */

const memories = 100_000;
const accountId = randomBytes(32);
const vector = Float32Array.from({ length: 16 }, (_, i) => Math.sin(i));

/** Tag 1 is on 20 memories, 11 on 1,800, 2 on 90 %; one word is in a seventh of the texts. */
const fill = `
  WITH stored AS (
    INSERT INTO memory (account_id, id, namespace, state, blob_id, envelope_sha256, size, created_at, tokens, length_bucket,
      tag_tokens)
    SELECT $1, gen_random_uuid(), 'n', 'done', 'b', ''::bytea, 1500, now() - (${memories} - i) * interval '1 second',
      ARRAY[i % 1000, 5000 + i % 7]::bigint[], 2,
      CASE WHEN i % 5000 = 0 THEN ARRAY[1, 2] WHEN i % 10 <> 0 THEN ARRAY[2, 10 + i % 50] END::bigint[]
    FROM generate_series(1, ${memories}) AS i RETURNING id)
  INSERT INTO memory_vector (account_id, namespace, embedding_model, memory_id, chunk_no, vector_key_id, embedding, code)
  SELECT $1, 'n', 'm', id, 0, 1, v, binary_quantize(v)
  FROM (SELECT id, (SELECT array_agg(random() - 0.5) FROM generate_series(1, 16 + 0 * length(id::text)))::vector AS v
        FROM stored) AS made`;

async function search(db: Db, tags: TagTokens): Promise<number> {
  const whole = { texts: memories, vectors: 4_000, stale: 0, meanLength: 8 };
  const size = await filteredSize(db, accountId, 'n', whole, tags);
  const question = { ...noQuestion, terms: [5n, 5_003n] };
  const query = {
    accountId,
    namespace: 'n',
    model: 'm',
    vector,
    question,
    limit: 10,
    includePending: false,
    tags,
  };
  return (await searchMemories(db, query, size)).matches.length;
}

const list = (db: Db, tags: TagTokens) => readMemoryPage(db, accountId, ['n'], firstPage, 50, tags);

const having = (...any: bigint[]): TagTokens => ({ any, all: [], not: [] });
const without = (...not: bigint[]): TagTokens => ({ any: undefined, all: [], not });

describe.each(databases.filter(({ name }) => name === 'postgres'))('on $name', ({ create }) => {
  let database: TestDb;
  beforeAll(async () => {
    database = await create();
    for (const table of ['memory', 'memory_vector'])
      await database.db.query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
    await database.db.query(fill, [accountId]);
  }, 120_000);
  afterAll(() => database?.drop());

  for (const { known, learn } of [
    { known: 'nothing', learn: [] },
    { known: 'what is in them', learn: ['VACUUM ANALYZE memory', 'VACUUM ANALYZE memory_vector'] },
  ])
    test(`reads only memories with a rare tag when ${known} is known`, async () => {
      const { db } = database;
      for (const command of learn) await db.query(command);
      for (const [tags, found] of [
        [having(1n), 20],
        [{ any: undefined, all: [1n, 2n], not: [] }, 20],
        [having(99n), 0],
      ] as const) {
        expect(await search(db, tags)).toBe(found);
        expect(await rowsReadBy(db, (counting) => search(counting, tags))).toBeLessThan(1_000);
        expect(await list(db, tags)).toHaveLength(found);
        expect(await rowsReadBy(db, (counting) => list(counting, tags))).toBeLessThan(500);
      }
    }, 60_000);

  test('reads each row a few times for a frequent tag, and a page of a list in order', async () => {
    const { db } = database;
    for (const tags of [having(11n), having(11n, 12n), having(2n), without(1n), without(2n)]) {
      expect(await search(db, tags)).toBeGreaterThanOrEqual(40);
      expect(await rowsReadBy(db, (counting) => search(counting, tags))).toBeLessThan(5 * memories);
      expect(await list(db, tags)).toHaveLength(50);
      expect(await rowsReadBy(db, (counting) => list(counting, tags))).toBeLessThan(memories / 10);
    }
  }, 120_000);
});
