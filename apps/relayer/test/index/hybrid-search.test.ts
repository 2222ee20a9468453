import { randomBytes } from 'node:crypto';
import { type AccountNamespace, tagOfNamespace } from '@memrelay/dev-env/search-index';
import { coverage, lengthBucket, termWeight } from '@memrelay/text-index/bm25';
import { questionOf } from '@memrelay/text-index/question';
import { termsOf } from '@memrelay/text-index/words/terms';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dropKeywords } from '../../src/index/rows/drop-keywords.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { blindIndex, indexerWith, lexical } from '../support/index-parts.ts';
import { ask, insertMemories } from '../support/indexed-memories.ts';

describe.each(databases)('a search by vector and words on $name', ({ create }) => {
  let database: TestDb;
  beforeAll(async () => {
    database = await create();
  });
  afterAll(() => database.drop());
  const newNamespace = (namespace = 'default'): AccountNamespace => ({
    accountId: randomBytes(32),
    namespace,
  });

  test('finds by words what the vector ranks far away, with its true distance', async () => {
    const namespace = newNamespace();
    // Its vector is that of another text, so only its words lead to it
    const astray: typeof lexical = {
      ...lexical,
      embed: (texts, accounts) =>
        lexical.embed(
          texts.map(() => 'violin'),
          accounts,
        ),
    };
    const [id] = await insertMemories(database.db, namespace, ['the code is zx-4471'], {
      indexer: indexerWith(astray),
    });
    const filler = Array.from({ length: 70 }, (_, i) => `a code of a meeting, number ${i}`);
    await insertMemories(database.db, namespace, filler);
    const [first] = await ask(database.db, namespace, 'code zx-4471', { limit: 5 });
    expect(first!.match).toMatchObject({ id, near: false });
    const accounts = [namespace.accountId, namespace.accountId];
    const [a, b] = await lexical.embed(['code zx-4471', 'violin'], accounts);
    const similarity = a!.reduce((sum, value, i) => sum + value * b![i]!, 0);
    expect(first!.match.distance).toBeCloseTo(1 - similarity, 3);
  });

  test('returns as many hits as exist, up to the limit, even if few or none match by word', async () => {
    const namespace = newNamespace();
    const texts = Array.from({ length: 12 }, (_, i) => `note ${i} ${i < 2 ? 'saffron' : 'other'}`);
    await insertMemories(database.db, namespace, texts);
    for (const query of ['saffron', 'nothing of this stands there', 'the of and'])
      for (const [limit, count] of [
        [1, 1],
        [7, 7],
        [100, 12],
      ] as const)
        expect((await ask(database.db, namespace, query, { limit })).slice(0, limit).length).toBe(count);
  });

  test('returns the same number of hits even if the chunks of one long memory fill the shortlist', async () => {
    const namespace = newNamespace();
    const [long] = await insertMemories(database.db, namespace, ['saffron']);
    await database.db.query(
      `INSERT INTO memory_vector (account_id, namespace, embedding_model, memory_id, chunk_no, vector_key_id, embedding, code)
       SELECT account_id, namespace, embedding_model, memory_id, no, vector_key_id, embedding, code
       FROM memory_vector, generate_series(1, $2::int) AS no WHERE memory_id = $1`,
      [long!, 3_000],
    );
    const others = await insertMemories(database.db, namespace, ['a harbour', 'a violin']);
    const matches = await ask(database.db, namespace, 'saffron', { limit: 3 });
    expect(matches.map(({ match }) => match.id).sort()).toEqual([long!, ...others].sort());
  });

  test('returns the same when it knows from a former search which words are common', async () => {
    const namespace = newNamespace();
    const texts = Array.from(
      { length: 300 },
      (_, i) => `tea number ${i} ${i % 60 === 0 ? 'with saffron' : ''}`,
    );
    await insertMemories(database.db, namespace, texts);
    const commonTokens = new Map<bigint, number>();
    const manyWords = 'tea saffron harbour violin canoe mosaic';
    for (const query of [manyWords, 'tea saffron', 'tea', manyWords]) {
      const expected = await ask(database.db, namespace, query, { limit: 20 });
      expect(await ask(database.db, namespace, query, { limit: 20, commonTokens })).toEqual(expected);
      // Only among six words, for each of which fewer texts are read, is it common
      expect([...commonTokens.values()]).toEqual([300]);
    }
  });

  test('returns pending memories only on request, and never failed or lost ones', async () => {
    const namespace = newNamespace();
    const [done] = await insertMemories(database.db, namespace, ['saffron one']);
    const [pending] = await insertMemories(database.db, namespace, ['saffron two'], { state: 'pending' });
    await insertMemories(database.db, namespace, ['saffron three'], { state: 'failed' });
    const [lost] = await insertMemories(database.db, namespace, ['saffron four']);
    await database.db.query("UPDATE memory SET state = 'lost', lost_reason = 'missing' WHERE id = $1", [
      lost!,
    ]);
    // As for a failed memory: its vectors are moved away, its tokens stay
    await database.db.query('DELETE FROM memory_vector WHERE memory_id = $1', [lost!]);
    const matches = async (includePending: boolean) =>
      (await ask(database.db, namespace, 'saffron', { includePending })).map(({ match }) => match.id).sort();
    expect(await matches(false)).toEqual([done]);
    expect(await matches(true)).toEqual([done!, pending!].sort());
  });

  test('returns only memories of the owner and namespace for any query, scored by their texts', async () => {
    const words = ['tea', 'coffee', 'garden', 'violin', 'harbour', 'the', 'porto', 'v1.2.3'];
    const text = fc
      .array(fc.constantFrom(...words), { minLength: 1, maxLength: 12 })
      .map((all) => all.join(' '));
    const accounts = [randomBytes(32), randomBytes(32)];
    const places = accounts.flatMap((accountId) =>
      ['a', 'b'].map((namespace): AccountNamespace => ({ accountId, namespace })),
    );
    const texts = new Map<string, { place: AccountNamespace; text: string; state: string }>();
    for (const [i, namespace] of places.entries())
      for (const [n, sample] of fc.sample(text, { numRuns: 14, seed: i }).entries()) {
        const state = ['done', 'done', 'pending', 'failed'][n % 4]!;
        const [id] = await insertMemories(database.db, namespace, [sample], { state });
        texts.set(id!, { place: namespace, text: sample, state });
      }
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...places),
        text,
        fc.integer({ min: 1, max: 100 }),
        fc.boolean(),
        async (namespace, query, limit, includePending) => {
          const all = await ask(database.db, namespace, query, { limit, includePending });
          const own = [...texts.values()].filter((each) => each.place === namespace);
          const visible = own.filter(
            ({ state }) => state === 'done' || (includePending && state === 'pending'),
          );
          expect(all.slice(0, limit).length).toBe(Math.min(limit, visible.length));
          const stored = own.filter(({ state }) => state !== 'failed').map((each) => termsOf(each.text));
          const size = {
            texts: stored.length,
            meanLength:
              stored.reduce((sum, terms) => sum + 4 * 2 ** lengthBucket(terms.length), 0) / stored.length,
          };
          const asked = [...new Set(termsOf(query))];
          const weights = asked.map((term) =>
            termWeight(size, stored.filter((terms) => terms.includes(term)).length),
          );
          for (const { match, explanation } of all) {
            const of = texts.get(match.id)!;
            expect(visible).toContain(of);
            const terms = termsOf(of.text);
            const steps = asked.map((term) => Math.min(3, terms.filter((each) => each === term).length));
            const expected = coverage(size, weights, steps, lengthBucket(terms.length));
            expect(explanation.keywords?.score ?? 0).toBeCloseTo(Math.min(1, expected), 5);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  test('stores no term of a text in the database, and no token of another owner or namespace', async () => {
    const canary = 'Quetzalcoatlus';
    const accountId = randomBytes(32);
    const places = [newNamespace(), { accountId, namespace: 'one' }, { accountId, namespace: 'two' }];
    for (const namespace of places)
      await insertMemories(database.db, namespace, [`${canary} flew over canary.example/path_name in 2026`]);
    const { rows } = await database.db.query<{ all: string; tokens: string }>(
      // Without the blob id: 43 random characters sometimes contain a short term
      `SELECT replace(memory::text, blob_id, '') || coalesce((SELECT string_agg(v::text, '') FROM memory_vector v WHERE v.memory_id = memory.id), '')
         AS all, tokens::text FROM memory
       WHERE account_id IN ($1, $2)`,
      [places[0]!.accountId, accountId],
    );
    expect(rows.length).toBe(3);
    const hex = (text: string) => Buffer.from(text).toString('hex');
    for (const { all } of rows)
      for (const term of [canary, ...termsOf(`${canary} flew canary.example path_name`)]) {
        expect(all.toLowerCase()).not.toContain(term.toLowerCase());
        expect(all).not.toContain(hex(term));
      }
    const tokens = rows.map((row) => row.tokens.slice(1, -1).split(','));
    expect(tokens[0]!.length).toBeGreaterThan(6);
    expect(new Set(tokens.flat()).size).toBe(tokens.flat().length);
  });

  test('samples the newest texts for a very common word, without hiding a rare one', async () => {
    const namespace = newNamespace();
    const tag = tagOfNamespace(namespace);
    const [common, rare] = blindIndex.questionTokens(
      namespace.accountId,
      tag,
      questionOf('common saffron', false),
    ).terms;
    await database.db.query(
      `INSERT INTO memory (account_id, id, namespace, state, blob_id, envelope_sha256, size, tokens, length_bucket)
       SELECT $1, gen_random_uuid(), $2, 'done', 'b', '', 1, ARRAY[$3::text::bigint], 0 FROM generate_series(1, 5000)`,
      [namespace.accountId, namespace.namespace, String(common)],
    );
    const [id] = await insertMemories(database.db, namespace, ['common saffron']);
    const [first] = await ask(database.db, namespace, 'common saffron');
    expect(first!.match.id).toBe(id);
    expect(first!.explanation.keywords).toMatchObject({ rank: 1, terms: 2 });
    expect(first!.explanation.keywords!.score).toBeGreaterThan(0.9);
    expect(rare).not.toBe(common);
  });

  test('deletes all tokens when the blind index is switched off', async () => {
    for (const namespace of [newNamespace(), newNamespace('other')])
      await insertMemories(database.db, namespace, ['saffron rice', 'rice and rice and rice']);
    expect(await dropKeywords(database.db)).toBeGreaterThanOrEqual(4);
    const { rows } = await database.db.query(
      `SELECT 1 FROM memory
       WHERE tokens IS NOT NULL OR tokens_twice IS NOT NULL OR tokens_often IS NOT NULL OR length_bucket IS NOT NULL`,
    );
    expect(rows).toEqual([]);
    expect(await dropKeywords(database.db)).toBe(0);
  });

  test('stores nothing about words without a blind index, and still finds by vector', async () => {
    const namespace = newNamespace();
    const indexer = indexerWith(lexical, false);
    const [id] = await insertMemories(database.db, namespace, ['saffron rice'], { indexer });
    const { rows } = await database.db.query(
      'SELECT tokens, tokens_twice, tokens_often, length_bucket FROM memory WHERE id = $1',
      [id!],
    );
    expect(rows).toEqual([{ tokens: null, tokens_twice: null, tokens_often: null, length_bucket: null }]);
    const [first] = await ask(database.db, namespace, 'saffron');
    expect(first).toMatchObject({ match: { id }, explanation: { keywords: { terms: 0, score: 0 } } });
    expect(first!.score).toBeCloseTo(1 - first!.match.distance, 10);
  });
});
