import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseChecks } from '../../src/doctor/database-checks.ts';
import type { Finding } from '../../src/doctor/finding.ts';
import { databases, type TestDb } from '../support/databases.ts';

/** What is not in order, as `state check: detail`. */
const problems = (findings: readonly Finding[]): string[] =>
  findings
    .filter(({ state }) => state === 'warning' || state === 'failed')
    .map(({ state, check, detail }) => `${state} ${check}: ${detail}`);

describe.each(databases)('the doctor of a database on $name', ({ name, create }) => {
  let database: TestDb;
  beforeAll(async () => {
    database = await create();
  });
  afterAll(() => database.drop());

  it('finds nothing wrong with a new one', async () => {
    const findings = await databaseChecks(database.db);
    expect(problems(findings)).toEqual([]);
    expect(findings.map(({ check }) => check)).toEqual([
      'database',
      'vector_extension',
      'migrations',
      'indexes',
      'vacuum',
      ...(name === 'postgres' ? ['connections', 'clock'] : []),
    ]);
  });

  it('reports a migration that is missing, unknown or changed', async () => {
    const { db } = database;
    const { rows } = await db.query<{ name: string; sha256: string }>(
      'SELECT name, sha256 FROM schema_migration ORDER BY name DESC LIMIT 1',
    );
    const last = rows[0]!;
    await db.query('DELETE FROM schema_migration WHERE name = $1', [last.name]);
    expect(problems(await databaseChecks(db))).toEqual([`warning migrations: ${last.name} not applied yet`]);
    const insert = 'INSERT INTO schema_migration (name, sha256) VALUES ($1, $2)';
    await db.query(insert, [last.name, '0'.repeat(64)]);
    expect(problems(await databaseChecks(db))).toEqual([
      `failed migrations: ${last.name} was changed after it was applied`,
    ]);
    await db.query('UPDATE schema_migration SET sha256 = $2 WHERE name = $1', [last.name, last.sha256]);
    await db.query(insert, ['9999_later.sql', '0'.repeat(64)]);
    expect(problems(await databaseChecks(db))).toEqual([
      'failed migrations: the tables belong to a newer version (9999_later.sql)',
    ]);
    await db.query("DELETE FROM schema_migration WHERE name = '9999_later.sql'");
  });

  it('reports an index that cannot be used, with the statement that repairs it', async () => {
    const { db } = database;
    await db.query('CREATE TABLE note (id integer)');
    await db.query('CREATE INDEX note_id ON note (id)');
    await db.query("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'note_id'::regclass");
    const found = (await databaseChecks(db)).find(({ check }) => check === 'indexes');
    expect(found).toMatchObject({
      state: 'failed',
      detail: 'note_id cannot be used',
      fix: 'run REINDEX INDEX CONCURRENTLY note_id;',
    });
    await db.query('DROP TABLE note');
  });

  it.runIf(name === 'postgres')('reports a table without autovacuum', async () => {
    const { db } = database;
    await db.query('CREATE TABLE note (id integer) WITH (autovacuum_enabled = false)');
    expect(problems(await databaseChecks(db))).toEqual(['failed vacuum: autovacuum is off for note']);
    await db.query('DROP TABLE note');
  });

  it.runIf(name === 'postgres')('reports a clock that differs', async () => {
    const ahead = (ms: number) => databaseChecks(database.db, () => Date.now() + ms);
    expect(problems(await ahead(20_000))).toEqual(['warning clock: 20 s ahead of the database']);
    expect(problems(await ahead(-400_000))).toEqual(['failed clock: 400 s behind the database']);
  });

  it('reports a database without the vector extension', async () => {
    const { db } = database;
    await db.query('DROP EXTENSION vector CASCADE');
    expect(problems(await databaseChecks(db))).toEqual([
      'failed vector_extension: the database does not have it yet',
    ]);
  });
});
