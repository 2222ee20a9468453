import { randomBytes } from 'node:crypto';
import { noQuestion } from '@memrelay/text-index/question';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { NewJob } from '../../src/jobs/rows/accept-jobs.ts';
import { deleteMemories } from '../../src/jobs/rows/forget-rows.ts';
import { insertSuccessors } from '../../src/jobs/rows/successors.ts';
import { supersededBy } from '../../src/memories/rows/list-rows.ts';
import { searchMemories } from '../../src/memories/rows/search-rows.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { accountVectors, lexical, sizeOf } from '../support/index-parts.ts';
import { textJobs } from '../support/text-jobs.ts';

describe.each(databases)('memories that replace others on $name', ({ create }) => {
  let database: TestDb;
  beforeAll(async () => {
    database = await create();
  });
  afterEach(async () => {
    await clear();
    await database.db.query('DELETE FROM memory_successor');
  });
  afterAll(() => database.drop());

  const { accountId, newJob, accept, embedDue, nextUpload, upload, fail, recordOf, memories, stored, clear } =
    textJobs(() => database.db);
  const replaces = (successor: NewJob, ...replaced: NewJob[]) =>
    insertSuccessors(database.db, [
      { accountId, successorId: successor.id, envelopeIds: replaced.map(({ envelopeId }) => envelopeId!) },
    ]);
  /** The memories that a search finds, each with the one that replaces it. */
  async function successorsOf(includePending = true) {
    const [vector] = await lexical.embed(['lives in'], [accountId]);
    const mapped = accountVectors.mapOf(accountId).apply(vector!);
    const query = {
      accountId,
      namespace: 'default',
      model: lexical.model,
      vector: mapped,
      limit: 10,
      question: noQuestion,
    };
    const { matches } = await searchMemories(database.db, { ...query, includePending }, sizeOf(10));
    return new Map(matches.map(({ id, supersededBy }) => [id, supersededBy]));
  }
  const links = async () => (await database.db.query('SELECT 1 FROM memory_successor')).rows.length;

  test('a memory in another namespace supersedes nothing here', async () => {
    const { job: old } = await stored('Ana lives in Porto');
    const { job: next } = await stored('Ana lives in Lisbon');
    await replaces(next, old);
    expect((await successorsOf()).get(old.id)).toBe(next.id);
    const listed = () => supersededBy(database.db, accountId, [old.id, next.id]);
    expect(await listed()).toEqual(new Map([[old.id, next.id]]));
    await database.db.query("UPDATE memory SET namespace = 'other' WHERE id = $1", [next.id]);
    expect((await successorsOf()).get(old.id)).toBeUndefined();
    expect(await listed()).toEqual(new Map());
  });

  test("never shows another account's memory as the successor", async () => {
    const { job: old } = await stored('Ana lives in Porto');
    const { job: next } = await stored('Ana lives in Lisbon');
    await replaces(next, old);
    await database.db.query('UPDATE memory SET account_id = $2 WHERE id = $1', [next.id, randomBytes(32)]);
    expect(await supersededBy(database.db, accountId, [old.id])).toEqual(new Map());
    expect((await successorsOf()).get(old.id)).toBeUndefined();
    const [again] = await accept(newJob('Ana lives in Porto'));
    expect(await embedDue()).toBe(0);
    expect(await recordOf(again!)).toHaveProperty('deduplicated', true);
    await database.db.query('DELETE FROM memory WHERE id = $1', [next.id]);
  });

  test('returns a successor once it is embedded, and no longer when it failed', async () => {
    const { job: old } = await stored('Ana lives in Porto');
    const [next] = await accept(newJob('Ana lives in Lisbon'));
    await replaces(next!, old);
    expect(await successorsOf()).toEqual(new Map([[old.id, undefined]]));
    await embedDue();
    expect(await successorsOf()).toEqual(
      new Map([
        [old.id, next!.id],
        [next!.id, undefined],
      ]),
    );
    expect(await successorsOf(false)).toEqual(new Map([[old.id, undefined]]));
    await fail(await nextUpload());
    expect(await successorsOf()).toEqual(new Map([[old.id, undefined]]));
  });

  test('accepts a link before either memory exists', async () => {
    const [old, next] = [newJob('Ana lives in Porto'), newJob('Ana lives in Lisbon')];
    await replaces(next, old);
    await replaces(next, old);
    await accept(old, next);
    await embedDue();
    expect((await successorsOf()).get(old.id)).toBe(next.id);
    expect(await links()).toBe(1);
  });

  test('stores a superseded text again as a new, current memory', async () => {
    const { job: old } = await stored('Ana lives in Porto');
    const { job: next } = await stored('Ana lives in Lisbon');
    await replaces(next, old);
    const [again] = await accept(newJob('Ana lives in Porto'));
    expect(await embedDue()).toBe(1);
    await upload(await nextUpload());
    expect(await recordOf(again!)).not.toHaveProperty('deduplicated');
    expect(await memories()).toHaveLength(3);
    expect(await successorsOf()).toEqual(
      new Map([
        [old.id, next.id],
        [next.id, undefined],
        [again!.id, undefined],
      ]),
    );
  });

  test('a duplicate passes its links to the memory that keeps the text, which never supersedes itself', async () => {
    const { job: old } = await stored('Ana lives in Porto');
    const { job: keeper } = await stored('Ana lives in Lisbon');
    const [same] = await accept(newJob('Ana lives in Lisbon'));
    await replaces(same!, old, keeper);
    expect(await embedDue()).toBe(0);
    expect(await successorsOf()).toEqual(
      new Map([
        [old.id, keeper.id],
        [keeper.id, undefined],
      ]),
    );
    expect(await links()).toBe(1);
  });

  test('deletes the link when either memory is forgotten', async () => {
    const namespace = { accountId, namespace: 'default', tag: randomBytes(16) };
    for (const forgotten of ['old', 'next'] as const) {
      const { job: old } = await stored('Ana lives in Porto');
      const { job: next } = await stored('Ana lives in Lisbon');
      await replaces(next, old);
      expect((await successorsOf()).get(old.id)).toBe(next.id);
      const { id } = { old, next }[forgotten];
      await database.db.transaction((tx) => deleteMemories(tx, namespace, [id]));
      expect(await links()).toBe(0);
      if (forgotten === 'next') expect(await successorsOf()).toEqual(new Map([[old.id, undefined]]));
      await clear();
    }
  });
});
