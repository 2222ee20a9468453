import { createTestDatabase } from '@memrelay/dev-env/services/test-database';
import { describe, expect, test } from 'vitest';
import { openPostgres } from '../src/base/db/postgres.ts';

const adminUrl = process.env.MEMRELAY_TEST_DATABASE_URL;

describe.each(adminUrl ? [{ name: 'postgres', adminUrl }] : [])('on $name', ({ adminUrl: url }) => {
  test('behind a pooler that hands statements to other connections they go unprepared', async () => {
    const database = await createTestDatabase(url);
    const db = openPostgres(database.url, { maxConnections: 1, onError: () => undefined });
    const ask = async (n: number) =>
      (await db.query<{ n: number }>('SELECT $1::int AS n', [n], { prepared: true })).rows[0]!.n;
    const preparedNow = async () => (await db.query('SELECT 1 FROM pg_prepared_statements')).rows.length;
    expect([await ask(1), await preparedNow()]).toEqual([1, 1]);
    // What the connection knew is gone, as on another one
    await db.query('DEALLOCATE ALL');
    expect([await ask(2), await ask(3), await preparedNow()]).toEqual([2, 3, 0]);
    // An error of the statement itself stays what it is
    await expect(db.query('SELECT nothing', [], { prepared: true })).rejects.toMatchObject({ code: '42703' });
    await db.close();
    await database.drop();
  });

  test('a migration that changes what a statement gives does not stop it', async () => {
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
