import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { tagOfNamespace } from '@memrelay/dev-env/search-index';
import { noQuestion } from '@memrelay/text-index/question';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Db, Queryable } from '../../src/base/db/db.ts';
import { vacuumDueTables } from '../../src/base/db/vacuum.ts';
import { nearDuplicates } from '../../src/jobs/embed/near-duplicates.ts';
import { readKeeper } from '../../src/jobs/rows/duplicate-rows.ts';
import { readProducts } from '../../src/memories/rows/center-rows.ts';
import { readAdjacent, readCohesion } from '../../src/memories/rows/context-rows.ts';
import { readImportant } from '../../src/memories/rows/important-rows.ts';
import { supersededBy } from '../../src/memories/rows/list-rows.ts';
import { tokensInUse } from '../../src/memories/rows/search-rows.ts';
import { readSurroundings } from '../../src/memories/rows/surrounding-rows.ts';
import { readNamedMemory, readVersions } from '../../src/memories/rows/version-rows.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { indexerWith, lexical } from '../support/index-parts.ts';
import { ask, insertMemories } from '../support/indexed-memories.ts';
import { indexConditions, mostReadByEarlyPlan, rowsReadBy } from '../support/query-plan.ts';

/**
 * Query plans depend on the table statistics, which do not exist yet after a large import. Regardless of them, no
 * plan may scan a namespace once per hit.
 */

const memories = 600;
const namespace = { accountId: randomBytes(32), namespace: 'default' };
/** One common word; the others are only in this text */
const text = (i: number): string =>
  `${['saffron', 'tin', 'oak'][i % 3]} ${createHash('sha256').update(`${i}`).digest('hex').match(/.{8}/g)!.join(' ')}`;

const question = `saffron and oak ${text(12)}`;

/** The namespace, and twenty times as many memories in another namespace and in another account, with tokens of their own. */
async function fill(db: Queryable): Promise<string[]> {
  const ids = await insertMemories(
    db,
    namespace,
    Array.from({ length: memories }, (_, i) => text(i)),
  );
  for (const [account, other] of [
    [namespace.accountId, 'other'],
    [randomBytes(32), 'another'],
  ] as const)
    await db.query(
      `WITH copy AS (
         SELECT memory.*, gen_random_uuid() AS copy_id FROM memory, generate_series(1, 20)
         WHERE account_id = $1 AND namespace = 'default'),
       copied AS (
         INSERT INTO memory (account_id, id, namespace, state, blob_id, envelope_sha256, size, tokens, length_bucket, distinctions)
         SELECT $2, copy_id, $3, state, blob_id, envelope_sha256, size,
           (SELECT array_agg(token + ascii($3)) FROM unnest(tokens) AS token), length_bucket, distinctions
         FROM copy)
       INSERT INTO memory_vector (account_id, namespace, embedding_model, memory_id, chunk_no, vector_key_id, embedding, code)
       SELECT $2, $3, embedding_model, copy_id, chunk_no, vector_key_id, embedding, code
       FROM copy JOIN memory_vector v ON v.account_id = $1 AND v.memory_id = copy.id`,
      [namespace.accountId, account, other],
    );
  return ids;
}

/** What was stored before and after these memories, as a recall reads it after its search. */
function adjacentOf(db: Db, ids: readonly string[]) {
  const vector = new Float32Array(lexical.dimension).fill(0.01);
  const query = { ...namespace, model: lexical.model, vector, question: noQuestion };
  return readAdjacent(db, { ...query, limit: 10, includePending: false }, ids, ids);
}

async function surroundingsOf(db: Db, ids: readonly string[]): Promise<void> {
  expect((await adjacentOf(db, ids)).length).toBeGreaterThan(ids.length);
  const cohesion = await readCohesion(db, namespace.accountId, namespace.namespace, lexical.model);
  expect(cohesion.near.pairs).toBeGreaterThan(400);
}

/** What a recall, a profile and the routes with an id look up by the ids of memories. */
async function lookups(db: Db, ids: readonly string[]): Promise<void> {
  const vector = new Float32Array(lexical.dimension).fill(0.01);
  await readSurroundings(db, { ...namespace, includePending: false }, ids, 3);
  await readProducts(db, { ...namespace, model: lexical.model, vector }, vector, ids);
  for (const id of ids.slice(0, 3)) {
    await readNamedMemory(db, namespace.accountId, id);
    for (const side of ['earlier', 'later'] as const)
      await readVersions(db, namespace.accountId, { id, namespace: namespace.namespace }, side);
  }
}

const important = (db: Db) => readImportant(db, { ...namespace, includePending: false }, 30, 65_536);

const tables = ['memory', 'memory_vector', 'memory_successor'];
const knowledge = [
  { known: 'nothing', learn: [] },
  { known: 'how large they are', learn: ['VACUUM'] },
  { known: 'what is in them', learn: ['ANALYZE'] },
] as const;

describe.each(databases)('on $name', ({ name, create }) => {
  let database: TestDb;
  let anchors: string[];
  beforeAll(async () => {
    database = await create();
    if (name === 'postgres')
      for (const table of tables)
        await database.db.query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
    anchors = (await fill(database.db)).slice(100, 120);
  });
  afterAll(() => database?.drop());

  for (const { known, learn } of knowledge)
    test(`does not scan a namespace repeatedly in a search or comparison when ${known} is known`, async () => {
      const { db } = database;
      for (const command of learn) for (const table of tables) await db.query(`${command} ${table}`);
      const searched = await rowsReadBy(db, (counting) => ask(counting, namespace, question));
      // The vectors, their sizes and lengths, the postings of four words, and the work on the candidates
      expect(searched).toBeLessThan(10 * memories);
      expect(await rowsReadBy(db, (counting) => surroundingsOf(counting, anchors))).toBeLessThan(
        2 * memories,
      );

      expect(await rowsReadBy(db, (counting) => lookups(counting, anchors))).toBeLessThan(memories);
      expect(await rowsReadBy(db, important)).toBeLessThan(4 * memories);

      const unused = Array.from({ length: 500 }, (_, i) => BigInt(i));
      const looked = await rowsReadBy(db, async (counting) => {
        expect(await tokensInUse(counting, namespace.accountId, namespace.namespace, unused)).toEqual(
          new Set(),
        );
      });
      expect(looked).toBeLessThan(memories);

      const texts = Array.from({ length: 20 }, (_, i) => text(i * 3 + 1));
      const tag = tagOfNamespace(namespace);
      const data = await indexerWith().indexTexts(texts.map((each) => ({ ...namespace, tag, text: each })));
      const asked = data.map((each) => ({ ...namespace, id: randomUUID(), data: each }));
      let duplicates = 0;
      const compared = await rowsReadBy(db, async (counting) => {
        duplicates = (await nearDuplicates(counting, lexical.model, 0.999, asked)).size;
      });
      expect(duplicates).toBe(asked.length);
      expect(compared).toBeLessThan(4 * memories);
    });

  if (name === 'postgres')
    test('keeps using the right indexes with a plan made for empty tables', async () => {
      const fresh = await create();
      for (const table of tables)
        await fresh.db.query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
      const hits = Array.from({ length: 20 }, () => randomUUID());
      const own = { ...namespace, tag: tagOfNamespace(namespace) };
      const data = await indexerWith().indexTexts(hits.map((_, i) => ({ ...own, text: text(i * 3 + 1) })));
      const asked = data.map((each) => ({ ...namespace, id: randomUUID(), data: each }));
      const read = await mostReadByEarlyPlan(
        fresh.db,
        (recording) =>
          Promise.all([
            ask(recording, namespace, question),
            adjacentOf(recording, hits),
            lookups(recording, hits),
            important(recording),
            nearDuplicates(recording, lexical.model, 0.999, asked),
          ]),
        async (db) => {
          await fill(db);
          await db.query(
            `INSERT INTO memory (account_id, id, namespace, state, blob_id, envelope_sha256, size)
             SELECT $1, id, 'default', 'done', 'b', ''::bytea, 100 FROM unnest($2::uuid[]) AS id`,
            [namespace.accountId, `{${hits.join()}}`],
          );
        },
      );
      expect(read).toBeGreaterThan(memories);
      expect(read).toBeLessThan(10 * memories);
      await fresh.drop();
    });

  if (name === 'pglite')
    test('vacuums tables that have grown or changed, and leaves others alone', async () => {
      const { db } = database;
      await vacuumDueTables(db);
      expect(await vacuumDueTables(db)).toEqual([]);
      await db.query('UPDATE memory SET importance = 0.7');
      expect(await vacuumDueTables(db)).toEqual(['memory']);
      const { rows } = await db.query<{ pages: number; visible: number }>(
        "SELECT relpages AS pages, relallvisible AS visible FROM pg_class WHERE relname = 'memory'",
      );
      expect(rows[0]!.visible).toBeGreaterThan(rows[0]!.pages / 2);
    });
});

describe.each(databases)('successors on $name', ({ create }) => {
  let database: TestDb;
  const { accountId } = namespace;
  beforeAll(async () => {
    database = await create();
    // The second half replaces the first
    await database.db.query(
      `WITH inserted AS (
         INSERT INTO memory (account_id, id, namespace, state, blob_id, envelope_id, envelope_sha256, size)
         SELECT $1, ('00000000-0000-4000-8000-' || lpad(i::text, 12, '0'))::uuid, 'default', 'done', 'b',
           decode(lpad(i::text, 32, '0'), 'hex'), ''::bytea, 100
         FROM generate_series(1, 2000) AS i)
       INSERT INTO memory_successor (account_id, envelope_id, successor_id)
       SELECT $1, decode(lpad(i::text, 32, '0'), 'hex'), ('00000000-0000-4000-8000-' || lpad((i + 1000)::text, 12, '0'))::uuid
       FROM generate_series(1, 1000) AS i`,
      [accountId],
    );
  });
  afterAll(() => database?.drop());

  for (const { known, learn } of knowledge)
    test(`are looked up by account and id when ${known} is known`, async () => {
      const { db } = database;
      for (const command of learn) for (const table of tables) await db.query(`${command} ${table}`);
      const ids = Array.from(
        { length: 20 },
        (_, i) => `00000000-0000-4000-8000-${`${i + 1}`.padStart(12, '0')}`,
      );
      let successors: ReadonlyMap<string, string> = new Map();
      const listing = await indexConditions(db, 'memory', async (explaining) => {
        successors = await supersededBy(explaining, accountId, ids);
      });
      expect(successors.get(ids[4]!)).toBe('00000000-0000-4000-8000-000000001005');
      const settling = await indexConditions(db, 'memory', (explaining) =>
        readKeeper(explaining, accountId, ids[0]!, lexical.model),
      );
      for (const conditions of [listing, settling])
        expect(conditions.filter((each) => each?.includes('link.successor_id'))).toEqual([
          expect.stringContaining('account_id = '),
        ]);
    });
});
