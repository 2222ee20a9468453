import { createHash, randomBytes } from 'node:crypto';
import { type AccountNamespace, insertIndexed, tagOfNamespace } from '@memrelay/dev-env/search-index';
import { noQuestion } from '@memrelay/text-index/question';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isCohesive } from '../../src/memories/recall/context.ts';
import { readAdjacent, readCohesion } from '../../src/memories/rows/context-rows.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { indexerWith, lexical } from '../support/index-parts.ts';

const minute = 60_000;
const start = Date.UTC(2026, 0, 1);

/** Five subjects with words of their own; a conversation stays with one for ten turns. */
const subjects = ['cello', 'garden', 'marathon', 'sourdough', 'sailing'];
const turn = (i: number): string => {
  const subject = subjects[Math.floor(i / 10) % subjects.length]!;
  return `${i % 2 ? 'Ana' : 'Bo'}: about the ${subject} ${subject}s, part ${i}`;
};

describe.each(databases)('on $name', ({ create }) => {
  let database: TestDb;
  beforeAll(async () => {
    database = await create();
  });
  afterAll(() => database?.drop());

  const newNamespace = (): AccountNamespace => ({ accountId: randomBytes(32), namespace: 'default' });

  /** Stores each text at a minute after `start`; returns the ids. */
  async function store(
    where: AccountNamespace,
    texts: readonly { text: string; at: number; state?: string }[],
  ): Promise<string[]> {
    const tag = tagOfNamespace(where);
    const data = await indexerWith().indexTexts(
      texts.map(({ text }) => ({ accountId: where.accountId, tag, text })),
    );
    const ids: string[] = [];
    for (const [i, { at, state = 'done' }] of texts.entries())
      ids.push(
        await insertIndexed(database.db, where, data[i]!, { state, storedAt: new Date(start + at * minute) }),
      );
    return ids;
  }

  /** The memories adjacent to `ids[0]` and so on, as steps by their number in `all`. */
  async function adjacent(
    where: AccountNamespace,
    ids: readonly string[],
    all: readonly string[],
    { includePending = false, known = ids }: { includePending?: boolean; known?: readonly string[] } = {},
  ) {
    const rows = await readAdjacent(
      database.db,
      {
        ...where,
        model: lexical.model,
        vector: new Float32Array(lexical.dimension).fill(0.01),
        question: noQuestion,
        limit: 10,
        includePending,
      },
      ids,
      known,
    );
    return Object.fromEntries(
      rows.map(({ id, of, match }) => [all.indexOf(id), { of, matches: match !== undefined }]),
    );
  }
  const at = (...minutes: number[]) => minutes.map((each, i) => ({ text: `note ${i}`, at: each }));

  test('returns two memories on each side, however they were inserted', async () => {
    const where = newNamespace();
    const ids = await store(where, at(5, 1, 2, 3, 4, 0, 6));
    expect(await adjacent(where, [ids[3]!], ids)).toEqual({
      2: { of: [{ index: 0, steps: 1 }], matches: true },
      1: { of: [{ index: 0, steps: 2 }], matches: true },
      4: { of: [{ index: 0, steps: 1 }], matches: true },
      0: { of: [{ index: 0, steps: 2 }], matches: true },
    });
  });

  test('returns a memory between two others once, and known ones without their columns', async () => {
    const where = newNamespace();
    const ids = await store(where, at(0, 1, 2));
    const found = await adjacent(where, [ids[0]!, ids[2]!], ids);
    expect(found[1]!.matches).toBe(true);
    expect(found[1]!.of.toSorted((a, b) => a.index - b.index)).toEqual([
      { index: 0, steps: 1 },
      { index: 1, steps: 1 },
    ]);
    expect(found[0]).toEqual({ of: [{ index: 1, steps: 2 }], matches: false });
  });

  test('stops at a gap of half an hour, and at the namespace and the account', async () => {
    const where = newNamespace();
    const ids = await store(where, at(0, 31, 61));
    const others = [
      { ...where, namespace: 'other' },
      { ...where, accountId: randomBytes(32) },
    ];
    for (const other of others) await store(other, at(30, 31, 32));
    expect(Object.keys(await adjacent(where, [ids[1]!], ids))).toEqual(['2']);
  });

  test('leaves out memories that the search may not see', async () => {
    const where = newNamespace();
    const ids = await store(where, [
      { text: 'stored', at: 1 },
      { text: 'pending', at: 2, state: 'pending' },
      { text: 'failed', at: 0, state: 'failed' },
    ]);
    expect(await adjacent(where, [ids[0]!], ids)).toEqual({
      1: { of: [{ index: 0, steps: 1 }], matches: false },
    });
    expect(await adjacent(where, [ids[0]!], ids, { includePending: true })).toEqual({
      1: { of: [{ index: 0, steps: 1 }], matches: true },
    });
  });

  test('recognizes that the turns of a conversation belong together, and shuffled ones do not', async () => {
    const turns = Array.from({ length: 120 }, (_, i) => turn(i));
    const [inOrder, shuffled] = [newNamespace(), newNamespace()];
    await store(
      inOrder,
      turns.map((text, i) => ({ text, at: i })),
    );
    const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
    await store(
      shuffled,
      turns.toSorted((a, b) => (digest(a) < digest(b) ? -1 : 1)).map((text, i) => ({ text, at: i })),
    );
    const cohesionOf = ({ accountId, namespace }: AccountNamespace) =>
      readCohesion(database.db, accountId, namespace, lexical.model);
    expect(isCohesive(await cohesionOf(inOrder))).toBe(true);
    expect(isCohesive(await cohesionOf(shuffled))).toBe(false);
    expect(isCohesive(await cohesionOf(newNamespace()))).toBe(false);
  });
});
