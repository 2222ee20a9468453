import { randomBytes } from 'node:crypto';
import { insertIndexed, tagOfNamespace } from '@memrelay/dev-env/search-index';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { factsOf } from '../../src/memories/answers/profile.ts';
import { readImportant } from '../../src/memories/rows/important-rows.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { indexerWith } from '../support/index-parts.ts';

describe.each(databases)('important memories on $name', ({ create }) => {
  let database: TestDb;
  beforeAll(async () => {
    database = await create();
  });
  afterAll(() => database?.drop());

  test('are the visible ones of the namespace that nothing replaces, the most important and newest first', async () => {
    const where = { accountId: randomBytes(32), namespace: 'default' };
    let minute = 0;
    const store = async (importance: number, { place = where, state = 'done', size = 1_500 } = {}) => {
      const [data] = await indexerWith().indexTexts([
        { accountId: place.accountId, tag: tagOfNamespace(place), text: 'a text' },
      ]);
      minute += 1;
      const storedAt = new Date(Date.UTC(2026, 0, 1, 0, minute));
      const id = await insertIndexed(database.db, place, data!, { state, storedAt });
      await database.db.query(
        'UPDATE memory SET importance = $2, size = $3, envelope_id = $4 WHERE id = $1',
        [id, importance, size, Buffer.from(id.replaceAll('-', ''), 'hex')],
      );
      return id;
    };
    const [trivial, vital, older] = [await store(0.2), await store(0.9), await store(0.5)];
    const [newer, pending] = [await store(0.5), await store(0.7, { state: 'pending' })];
    await store(1, { state: 'failed' });
    await store(1, { size: 70_000 });
    await store(1, { place: { ...where, namespace: 'other' } });
    await store(1, { place: { ...where, accountId: randomBytes(32) } });
    const replaced = await store(1);
    await database.db.query(
      'INSERT INTO memory_successor (account_id, envelope_id, successor_id) VALUES ($1, $2, $3)',
      [where.accountId, Buffer.from(replaced.replaceAll('-', ''), 'hex'), older],
    );
    const read = async (limit: number, includePending = false) =>
      (await readImportant(database.db, { ...where, includePending }, limit, 65_536)).map(({ id }) => id);
    expect(await read(10)).toEqual([vital, newer, older, trivial]);
    expect(await read(2)).toEqual([vital, newer]);
    expect(await read(2, true)).toEqual([vital, pending]);
  });
});

describe('facts of memories', () => {
  const memory = (id: string, text: string) => ({ text, source: { id, created_at: '2026-01-01T00:00:00Z' } });
  const shown = async (texts: string[], subject?: string, limit = 10) =>
    (
      await factsOf(
        texts.map((text, i) => memory(String(i), text)),
        subject,
        limit,
      )
    ).map(({ text, sources }) => `${text} ${sources.map(({ id }) => id).join()}`);

  test('are statements, each once with its sources in the order of the memories', async () => {
    expect(
      await shown(
        ['Ana keeps bees.', 'Thanks!', 'Where is Bo?', 'ana keeps the bees', 'Bo bakes.'],
        undefined,
      ),
    ).toEqual(['Ana keeps bees. 0,3', 'Bo bakes. 4']);
    expect(await shown(['Cleo paints.', 'Bo bakes.'], undefined, 1)).toEqual(['Cleo paints. 0']);
  });

  test('are few per memory, short, and about the subject if any statement names it', async () => {
    const long = `Ana ${'really '.repeat(60)}likes tea.`;
    expect(await shown([long])).toEqual([]);
    const note = 'The shop opens at six. Bo bakes there. Cleo sells there. Ana eats there. Bo left.';
    expect((await shown([note])).length).toBe(3);
    expect(await shown([note], 'bo')).toEqual(['Bo bakes there. 0', 'Bo left. 0']);
    // Found by its meaning
    expect(await shown([note], 'bakery')).toEqual(['The shop opens at six. 0']);
    expect(await shown(['x'.repeat(2_000_000)])).toEqual([]);
  });
});
