import { randomBytes, randomUUID } from 'node:crypto';
import { tagOfNamespace } from '@memrelay/dev-env/search-index';
import { distinctionSteps } from '@memrelay/text-index/distinctions';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { inTurns } from '../../src/base/concurrency/in-turns.ts';
import { encodeVector, signBits } from '../../src/base/db/vector.ts';
import { nearDuplicates } from '../../src/jobs/embed/near-duplicates.ts';
import { firstPage, readMemoryPage } from '../../src/memories/rows/page-rows.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { indexerWith, lexical } from '../support/index-parts.ts';
import { insertMemories } from '../support/indexed-memories.ts';
import { textJobs } from '../support/text-jobs.ts';

/** Near-duplicates: both texts are kept, and the later one names the earlier one. */

const hiking = 'I love hiking in the mountains with my dog every weekend.';
const again = 'Every weekend I love to hike in the mountains with my dogs!';

describe.each(databases)('on $name', ({ create }) => {
  let database: TestDb;
  beforeAll(async () => {
    database = await create();
  });
  afterAll(() => database?.drop());
  const jobs = textJobs(() => database.db);
  afterEach(() => jobs.clear());
  /** As if sealed for the namespace: the header contains the tag */
  const newJob = (text: string) => {
    const job = jobs.newJob(text);
    job.envelope.fill(1, 48, 64);
    return job;
  };
  async function store(text: string) {
    const [job] = await jobs.accept(newJob(text));
    await jobs.embedDue();
    await jobs.upload(await jobs.nextUpload());
    return job!;
  }

  const listed = async (id: string) => {
    const page = await readMemoryPage(database.db, jobs.accountId, ['default'], firstPage, 10);
    return page.find((memory) => memory.id === id)?.near;
  };
  const namespace = { accountId: randomBytes(32), namespace: 'n' };
  async function near(texts: readonly string[], where = namespace, model = lexical.model) {
    const tag = tagOfNamespace(where);
    const data = await indexerWith().indexTexts(texts.map((text) => ({ ...where, tag, text })));
    const ids = texts.map(() => randomUUID());
    const candidates = data.map((each, i) => ({ ...where, id: ids[i]!, data: each }));
    const duplicates = await nearDuplicates(database.db, model, lexical.nearDuplicate, candidates);
    return ids.map((id) => duplicates.get(id));
  }

  test('stores the later text too, and reports which one it repeats while that one exists', async () => {
    const first = await store(hiking);
    const second = await store(again);
    expect(await jobs.recordOf(first)).not.toHaveProperty('near_duplicate_of');
    const record = await jobs.recordOf(second);
    expect(record).toMatchObject({ status: 'done', near_duplicate_of: first.id, similarity: 1 });
    expect(record.deduplicated).toBeUndefined();
    expect((await jobs.memories()).map(({ id }) => id)).toEqual([first.id, second.id]);
    expect(await listed(second.id)).toEqual({ id: first.id, similarity: 1 });
    await database.db.query("UPDATE memory SET state = 'failed' WHERE id = $1", [first.id]);
    expect(await jobs.recordOf(second)).not.toHaveProperty('near_duplicate_of');
    expect(await listed(second.id)).toBeUndefined();
  });

  test('names the earlier text when several arrive together', async () => {
    const [first, second, other] = await jobs.accept(
      newJob(hiking),
      newJob(again),
      newJob('The bakery sells rye bread.'),
    );
    await jobs.embedDue();
    const records = await Promise.all([first!, second!, other!].map(jobs.recordOf));
    const earlierIds = records.map((record) => record.near_duplicate_of);
    // They are embedded in the order of their turns
    expect(earlierIds.filter(Boolean)).toHaveLength(1);
    expect([first!.id, second!.id]).toContain(earlierIds.find(Boolean));
    expect(earlierIds[2]).toBeUndefined();
  });

  test('reports nothing to a key that may not read', async () => {
    await store(hiking);
    const [blind] = await jobs.accept({ ...newJob(again), textHash: undefined });
    await jobs.embedDue();
    expect(await jobs.recordOf(blind!)).not.toHaveProperty('near_duplicate_of');
  });

  test.each([
    ['I have 2 cats.', 'I have 3 cats.'],
    ['I like tea.', "I don't like tea."],
    ['We never meet on weekends.', 'We meet on weekends.'],
    ['My two cats sleep.', 'My five cats sleep.'],
  ])('does not report "%s" and "%s", however near', async (one, other) => {
    const [indexed] = await indexerWith().indexTexts([
      { accountId: namespace.accountId, tag: Buffer.alloc(16), text: one },
    ]);
    const [more] = await indexerWith().indexTexts([
      { accountId: namespace.accountId, tag: Buffer.alloc(16), text: other },
    ]);
    const same = { ...more!, chunks: indexed!.chunks };
    const texts = [indexed!, same].map((data) => ({ ...namespace, id: randomUUID(), data }));
    expect((await nearDuplicates(database.db, lexical.model, 0.85, texts)).size).toBe(0);
  });

  test('computes the same sign bits of a vector as the database', async () => {
    const vector = Float32Array.of(0.5, -0.5, 0, -0, Number.MIN_VALUE, 1e-30, -1e-30, 3);
    const ask = () =>
      database.db.query<{ same: boolean }>(
        'SELECT binary_quantize($1::vector) = $2::"bit" AS same',
        [encodeVector(vector), signBits(vector)],
        { prepared: true },
      );
    // Prepared the first time, already prepared the second
    for (const _ of [1, 2]) expect((await ask()).rows).toEqual([{ same: true }]);
  });

  test('names only the nearest of the same namespace, account and model', async () => {
    const [exact] = await insertMemories(database.db, namespace, [hiking, 'The railway.']);
    const [duplicates] = await near([again]);
    expect(duplicates).toMatchObject({ id: exact });
    expect(duplicates!.similarity).toBeGreaterThan(0.99);
    expect(await near([again], { ...namespace, namespace: 'other' })).toEqual([undefined]);
    expect(await near([again], { ...namespace, accountId: randomBytes(32) })).toEqual([undefined]);
    expect(await near([again], namespace, 'another-model')).toEqual([undefined]);
    const failed = { ...namespace, namespace: 'failed' };
    await insertMemories(database.db, failed, [hiking], { state: 'failed' });
    expect(await near([again], failed)).toEqual([undefined]);
    // A text of several chunks has no single vector that represents it
    const long = `${hiking} `.repeat(200);
    expect(await near([long, long])).toEqual([undefined, undefined]);
  });
});

test.each([
  ['I have 2 cats', 'I have two cats', true],
  ['in 2024 and 2023', 'in 2023 and 2024', true],
  ["I don't know", 'I do not know', true],
  ['the 7th of May', 'the 8th of May', false],
  ['version 1.2', 'version 1.3', false],
  ['no', 'yes', false],
  ['knot', 'not', false],
  ['I can’t come', 'I can come', false],
  ['٣ cats', '٤ cats', false],
])('compares numbers and negations of "%s" and "%s": equal is %s', async (one, other, same) => {
  const [first, second] = [await inTurns(distinctionSteps(one)), await inTurns(distinctionSteps(other))];
  expect(first === second).toBe(same);
});
