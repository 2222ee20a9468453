import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Db } from '../../src/base/db/db.ts';
import { insertSuccessors } from '../../src/jobs/rows/successors.ts';
import { createResidentIndexes } from '../../src/memories/resident/resident-indexes.ts';
import { pruneDeletions, readChanges, wholeMemories } from '../../src/memories/rows/resident-rows.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { lexical } from '../support/index-parts.ts';
import { residentWorld } from '../support/resident-world.ts';

/** Random numbers that are the same in each run. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const words =
  'cello garden marathon sourdough sailing Porto Lisbon bicycle library violin winter summer piano teacher doctor 1984 train coffee tea mountain'.split(
    ' ',
  );

const kinds = ['whole', 'codes'] as const;
const both = databases.flatMap((database) => kinds.map((kind) => ({ ...database, kind })));

describe.each(both)('a namespace in memory ($kind) on $name', ({ name, create, kind }) => {
  let database: TestDb;
  beforeAll(async () => {
    database = await create();
  });
  afterAll(() => database?.drop());
  const open = (maxBytes?: number) => residentWorld(database.db, kind, maxBytes);

  test('finds what the tables find after any changes', async () => {
    const { db } = database;
    const { place, store, embedAgain, forget, warm, compare } = open();
    const random = seeded(7);
    const pick = <T>(from: readonly T[]): T => from[random(from.length)]!;
    const textOf = (): string => Array.from({ length: 2 + random(12) }, () => pick(words)).join(' ');
    const start = Date.UTC(2026, 0, 1);
    const ids: string[] = [];
    let minutes = 0;
    const add = async (): Promise<void> => {
      minutes += random(12);
      const context = {
        ...(random(3) === 0 ? { session: pick(['a', 'b']) } : {}),
        ...(random(4) === 0 ? { tags: [pick(['work', 'home'])] } : {}),
        ...(random(9) === 0 ? { expires_at: '2027-01-01T00:00:00Z' } : {}),
      };
      const state = pick(['done', 'done', 'done', 'pending', 'failed']);
      ids.push(await store(textOf(), { state, storedAt: new Date(start + minutes * 60_000), context }));
    };
    const change = (sql: string, ...values: (string | number)[]) =>
      db.query(`UPDATE memory SET ${sql} WHERE account_id = $1 AND id = $2`, [
        place.accountId,
        pick(ids),
        ...values,
      ]);
    const replace = async (): Promise<void> => {
      const { rows } = await db.query<{ envelope_id: Buffer }>(
        'SELECT envelope_id FROM memory WHERE account_id = $1 AND id = $2',
        [place.accountId, pick(ids)],
      );
      const envelopeIds = rows.map(({ envelope_id }) => envelope_id);
      await insertSuccessors(db, [{ accountId: place.accountId, successorId: pick(ids), envelopeIds }]);
    };
    const changes: (() => Promise<unknown>)[] = [
      add,
      add,
      () => forget(pick(ids)),
      () => change("state = 'done', lost_reason = NULL"),
      () => change("state = 'failed', lost_reason = NULL"),
      () => change("state = 'pending', lost_reason = NULL"),
      // Its vectors go with it
      () =>
        db.query(
          `WITH lost AS (
             UPDATE memory SET state = 'lost', lost_reason = 'missing' WHERE account_id = $1 AND id = $2 RETURNING id)
           DELETE FROM memory_vector USING lost WHERE account_id = $1 AND memory_id = lost.id`,
          [place.accountId, pick(ids)],
        ),
      () => change('importance = $3', random(10) / 10),
      () => change("blob_id = $3, state = 'done', lost_reason = NULL", randomBytes(8).toString('hex')),
      () => change('tokens = NULL, tokens_twice = NULL, tokens_often = NULL, length_bucket = NULL'),
      replace,
    ];
    for (let i = 0; i < 60; i++) await add();
    await warm();
    for (let round = 0; round < 40; round++) {
      for (let i = 0; i < 4; i++) await pick(changes)();
      const there = await db.query<{ id: string }>(
        "SELECT id FROM memory WHERE account_id = $1 AND state IN ('pending', 'done') ORDER BY created_at, id",
        [place.accountId],
      );
      if (round % 5 === 0) await embedAgain(pick(there.rows).id, textOf());
      const { matches } = await compare(textOf(), round % 2 === 0);
      expect(matches.length).toBeGreaterThan(0);
    }
  }, 240_000);

  test('is loaded when it is searched repeatedly, and says whether it answered', async () => {
    const { store, current, warm, lookups } = open();
    await store('Ana plays the cello');
    expect(await current()).toBeUndefined();
    await warm();
    expect([lookups[0], lookups.at(-1)]).toEqual([false, true]);
  });

  test('reads every page of a larger namespace', async () => {
    const { store, warm, compare } = open();
    const at = new Date();
    for (let i = 0; i < 130; i++) await store(`note ${i} about ${words[i % words.length]}`, { storedAt: at });
    const long = await store(`${'The harvest festival was long. '.repeat(1_000)} The cello was stolen.`);
    await warm();
    const { matches } = await compare('note 139');
    expect(matches.length).toBeGreaterThan(40);
    expect((await compare('harvest festival')).matches.some(({ id }) => id === long)).toBe(true);
  }, 120_000);

  test('keeps nothing without memory for it, and drops what exceeds it', async () => {
    for (const maxBytes of [0, 2_000]) {
      const { store, current, indexes } = open(maxBytes);
      for (let i = 0; i < 3; i++) await store(`note ${i}`);
      for (let i = 0; i < 5; i++) expect(await current()).toBeUndefined();
      await indexes.close();
      expect(await current()).toBeUndefined();
    }
  });

  test('does not make room for others while it is used', async () => {
    const { db } = database;
    const indexes = createResidentIndexes(db, {
      maxBytes: 40_000,
      logger: { warn: () => undefined },
      countLookup: () => undefined,
    });
    const [used, other] = [open(), open()];
    const search = ({ place }: typeof used) => indexes.current({ ...place, model: lexical.model }, 5);
    for (const world of [used, other]) for (let i = 0; i < 5; i++) await world.store(`note ${i}`);
    await expect.poll(() => search(used), { timeout: 60_000 }).toBeDefined();
    for (let i = 0; i < 10; i++) expect(await search(other)).toBeUndefined();
    await indexes.close();
    expect(await search(used)).toBeDefined();
  });

  test('is read again after more changes than are applied one by one', async () => {
    const { db } = database;
    const { place, store, current, warm, compare } = open();
    const id = await store('Ana plays the cello');
    await warm();
    await db.query(
      `INSERT INTO memory (account_id, id, namespace, state, envelope_sha256, size)
       SELECT account_id, gen_random_uuid(), namespace, 'done', envelope_sha256, size
       FROM memory, generate_series(1, 501) WHERE account_id = $1 AND id = $2`,
      [place.accountId, id],
    );
    expect(await current()).toBeUndefined();
    await warm();
    const { matches } = await compare('cello');
    expect(matches.some((match) => match.id === id && match.near)).toBe(true);
  });

  test('does not trust the numbers of another database', async () => {
    const { db } = database;
    const { place, store } = open();
    const at = { ...place, model: lexical.model };
    await store('Ana plays the cello');
    const first = (await readChanges(db, at, wholeMemories, 0n))!;
    expect(first.changed.length).toBe(1);
    // An older copy of the database took over
    expect(await readChanges(db, at, wholeMemories, first.horizon + 1_000_000n)).toBeUndefined();
    // Restored from a dump of a database that had run for longer
    await withoutTrigger(db, () =>
      db.query("UPDATE memory SET changed = '900000000000' WHERE account_id = $1", [place.accountId]),
    );
    expect((await readChanges(db, at, wholeMemories, first.horizon))!.changed).toEqual([]);
  });

  test('remembers deletions for hours, then no longer', async () => {
    const { db } = database;
    const { place, store, forget } = open();
    const ids = [await store('one'), await store('two')];
    for (const id of ids) await forget(id);
    await db.query("UPDATE deleted_memory SET deleted_at = now() - interval '3 hours' WHERE memory_id = $1", [
      ids[0]!,
    ]);
    await pruneDeletions(db);
    const changes = await readChanges(db, { ...place, model: lexical.model }, wholeMemories, 0n);
    expect(changes!.deleted).toEqual([ids[1]]);
  });

  test('finds what was acknowledged, and nothing that was forgotten, while others write', async () => {
    const { store, forget, warm, current, compare } = open();
    for (let i = 0; i < 5; i++) await store(`note ${i}`);
    await warm();
    await Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        for (let i = 0; i < 6; i++) {
          const id = await store(`note ${i} of ${writer}`);
          expect((await current())?.has(id)).toBe(true);
          if (i % 2 === 0) {
            await forget(id);
            expect((await current())?.has(id)).toBe(false);
          }
        }
      }),
    );
    expect((await compare('note')).matches).toHaveLength(5 + 8 * 3);
  }, 120_000);

  if (name === 'postgres')
    test('finds what a transaction that began earlier commits later', async () => {
      const { db } = database;
      const { store, warm, current } = open();
      await store('note');
      await warm();
      let commit = (): void => undefined;
      const written = Promise.withResolvers<string>();
      const done = db.transaction(async (tx) => {
        written.resolve(await store('written early, committed late', {}, tx));
        await new Promise<void>((resolve) => {
          commit = resolve;
        });
      });
      const id = await written.promise;
      // Other transactions go on in the meantime
      for (let i = 0; i < 3; i++) {
        const other = await store(`note ${i}`);
        expect((await current())!.has(other)).toBe(true);
        expect((await current())!.has(id)).toBe(false);
      }
      commit();
      await done;
      expect((await current())!.has(id)).toBe(true);
    });
});

async function withoutTrigger(db: Db, work: () => Promise<unknown>): Promise<void> {
  await db.query('ALTER TABLE memory DISABLE TRIGGER memory_changed');
  await work();
  await db.query('ALTER TABLE memory ENABLE TRIGGER memory_changed');
}
