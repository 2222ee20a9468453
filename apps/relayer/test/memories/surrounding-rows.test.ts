import { randomBytes } from 'node:crypto';
import { type AccountNamespace, insertIndexed, tagOfNamespace } from '@memrelay/dev-env/search-index';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { surroundingsWithin } from '../../src/memories/recall/surroundings.ts';
import { readSurroundings, type Surrounding } from '../../src/memories/rows/surrounding-rows.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { indexerWith } from '../support/index-parts.ts';
import { sampleMatch } from '../support/sample-match.ts';

const minute = 60_000;
const start = Date.UTC(2026, 0, 1);

describe.each(databases)('on $name', ({ create }) => {
  let database: TestDb;
  beforeAll(async () => {
    database = await create();
  });
  afterAll(() => database?.drop());

  const newNamespace = (): AccountNamespace => ({ accountId: randomBytes(32), namespace: 'default' });

  /** Stores a memory at each minute after `start`; returns the ids. */
  async function store(where: AccountNamespace, minutes: number[], state = 'done'): Promise<string[]> {
    const texts = minutes.map((at) => ({
      accountId: where.accountId,
      tag: tagOfNamespace(where),
      text: `a${at}`,
    }));
    const data = await indexerWith().indexTexts(texts);
    const ids: string[] = [];
    for (const [i, at] of minutes.entries()) {
      const storedAt = new Date(start + at * minute);
      ids.push(await insertIndexed(database.db, where, data[i]!, { state, storedAt }));
    }
    return ids;
  }

  async function around(
    where: AccountNamespace,
    ids: readonly string[],
    all: readonly string[],
    { count = 3, includePending = false } = {},
  ): Promise<string[]> {
    const found = await readSurroundings(database.db, { ...where, includePending }, ids, count);
    return found.map(({ of, side, match }) => `${of} ${side} ${all.indexOf(match.id)}`);
  }

  test('returns the nearest memories on each side, however they were inserted, nearest first', async () => {
    const where = newNamespace();
    const ids = await store(where, [5, 1, 2, 3, 4, 0, 6, 7]);
    expect(await around(where, [ids[3]!], ids)).toEqual([
      '0 before 2',
      '0 after 4',
      '0 before 1',
      '0 after 0',
      '0 before 5',
      '0 after 6',
    ]);
    expect(await around(where, [ids[7]!, ids[5]!], ids, { count: 1 })).toEqual(['0 before 6', '1 after 1']);
  });

  test('stops at a gap of half an hour, and at the namespace and the account', async () => {
    const where = newNamespace();
    const ids = await store(where, [0, 31, 61, 62]);
    for (const other of [
      { ...where, namespace: 'other' },
      { ...where, accountId: randomBytes(32) },
    ])
      await store(other, [30, 31, 32]);
    expect(await around(where, [ids[1]!], ids)).toEqual(['0 after 2']);
  });

  test('skips failed and lost memories, and pending ones unless they are included', async () => {
    const where = newNamespace();
    const [hit, stored] = await store(where, [10, 7]);
    const [pending] = await store(where, [9], 'pending');
    const [failed] = await store(where, [8], 'failed');
    const [lost] = await store(where, [11]);
    await database.db.query("UPDATE memory SET state = 'lost', lost_reason = 'missing' WHERE id = $1", [
      lost!,
    ]);
    const all = [hit!, stored!, pending!, failed!, lost!];
    expect(await around(where, [hit!], all)).toEqual(['0 before 1']);
    expect(await around(where, [hit!], all, { includePending: true })).toEqual(['0 before 2', '0 before 1']);
  });
});

describe('the context of hits', () => {
  const surrounding = (of: number, side: Surrounding['side'], id: string, size = 100): Surrounding => ({
    of,
    side,
    match: { ...sampleMatch(id), size },
  });
  const created_at = new Date(0).toISOString();
  const shown = (text: string) => ({ id: text, text, created_at });
  const texts = (...ids: string[]) => new Map(ids.map((id) => [id, id]));

  test('is in the order of time, without memories that could not be read', () => {
    const found = [
      surrounding(0, 'before', 'b'),
      surrounding(0, 'after', 'd'),
      surrounding(0, 'before', 'a'),
      surrounding(1, 'after', 'e'),
    ];
    const around = surroundingsWithin(['c', 'd'], found, 1_000);
    // A hit is opened once, and counts in the answer wherever it is shown
    expect(around.others.map(({ match }) => match.id)).toEqual(['b', 'a', 'e']);
    expect(around.bytes).toBe(400);
    expect(around.contextOf(0, texts('a', 'b', 'c', 'd', 'e'))).toEqual({
      context: { before: [shown('a'), shown('b')], after: [shown('d')] },
    });
    expect(around.contextOf(1, texts('c', 'd'))).toEqual({ context: { before: [], after: [] } });
  });

  test('is left out where the answer has no room, from the worst hit on', () => {
    const found = [
      surrounding(0, 'before', 'a'),
      surrounding(0, 'after', 'c', 500),
      surrounding(1, 'before', 'e'),
    ];
    const around = surroundingsWithin(['b', 'd'], found, 300);
    expect(around.bytes).toBe(100);
    expect(around.others.map(({ match }) => match.id)).toEqual(['a']);
    expect(around.contextOf(1, texts('e'))).toEqual({ context: { before: [], after: [] } });
  });
});
