import { createTestDatabase } from '@memrelay/dev-env/services/test-database';
import { describe, expect, test } from 'vitest';
import { openPostgres } from '../../src/base/db/postgres.ts';

const adminUrl = process.env.MEMRELAY_TEST_DATABASE_URL;

describe.each(adminUrl ? [{ name: 'postgres', adminUrl }] : [])('on $name', ({ adminUrl: url }) => {
  test('runs statements unprepared behind a pooler that switches connections', async () => {
    const database = await createTestDatabase(url);
    const db = openPostgres(database.url, { maxConnections: 1, onError: () => undefined });
    const ask = async (n: number) =>
      (await db.query<{ n: number }>('SELECT $1::int AS n', [n], { prepared: true })).rows[0]!.n;
    const isPrepared = async () => {
      const { rows } = await db.query<{ found: boolean }>(
        "SELECT EXISTS (SELECT 1 FROM pg_prepared_statements WHERE statement LIKE '%AS n') AS found",
        [],
        { prepared: true },
      );
      return rows[0]!.found;
    };
    expect([await ask(1), await isPrepared()]).toEqual([1, true]);
    // Its statements are gone, as on another connection
    await db.query('DEALLOCATE ALL', [], { prepared: true });
    expect([await ask(2), await ask(3), await isPrepared()]).toEqual([2, 3, false]);
    // An error of the statement itself is passed on
    await expect(db.query('SELECT nothing', [], { prepared: true })).rejects.toMatchObject({ code: '42703' });
    await db.close();
    await database.drop();
  });

  test('compiles no statement, and plans prepared ones once', async () => {
    const database = await createTestDatabase(url);
    const admin = openPostgres(database.url, { onError: () => undefined });
    // So that any statement would be compiled
    await admin.query(`ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET jit = on`);
    await admin.close();
    const db = openPostgres(database.url, { onError: () => undefined });
    const settings = async (prepared: boolean) =>
      (
        await db.query(
          "SELECT current_setting('jit') AS jit, current_setting('plan_cache_mode') AS plan",
          [],
          { prepared },
        )
      ).rows[0];
    expect(await settings(false)).toEqual({ jit: 'off', plan: 'auto' });
    expect(await settings(true)).toEqual({ jit: 'off', plan: 'force_generic_plan' });
    await db.transaction(async (tx) => {
      expect((await tx.query("SELECT current_setting('jit') AS jit")).rows).toEqual([{ jit: 'off' }]);
    });
    await db.close();
    await database.drop();
  });

  test("survives a migration that changes a statement's result", async () => {
    const database = await createTestDatabase(url);
    const db = openPostgres(database.url, { maxConnections: 1, onError: () => undefined });
    await db.query('CREATE TABLE thing AS SELECT 1 AS n');
    const ask = async () => (await db.query('SELECT n FROM thing', [], { prepared: true })).rows;
    expect(await ask()).toEqual([{ n: 1 }]);
    await db.query('ALTER TABLE thing ALTER COLUMN n TYPE text');
    expect([await ask(), await ask()]).toEqual([[{ n: '1' }], [{ n: '1' }]]);
    await db.close();
    await database.drop();
  });
});
