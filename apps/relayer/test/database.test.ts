import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase } from '@memrelay/dev-env/services/test-database';
import { DirectoryLockedError } from '@memrelay/protocol/dir-lock';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigError } from '../src/base/config/config-error.ts';
import { migrate } from '../src/base/db/migrate.ts';
import { openDatabase } from '../src/base/db/open-database.ts';
import { databases, type TestDb } from './support/databases.ts';
import { startTcpProxy } from './support/tcp-proxy.ts';

const silent = pino({ enabled: false });

describe.each(databases)('the database on $name', ({ create }) => {
  let database: TestDb;
  beforeAll(async () => {
    database = await create();
    await database.db.query('CREATE TABLE note (id integer PRIMARY KEY, text text, bytes bytea)');
  });
  afterAll(() => database.drop());

  const ids = async (): Promise<number[]> => {
    const { rows } = await database.db.query<{ id: number }>('SELECT id FROM note ORDER BY id');
    return rows.map((row) => row.id);
  };
  const insert = 'INSERT INTO note (id) VALUES ($1)';

  test('values come back as they went in', async () => {
    const bytes = Buffer.from([0, 1, 255, 0]);
    await database.db.query('INSERT INTO note VALUES ($1, $2, $3)', [100, "it's \u{1f34b} $1", bytes]);
    const { rows, rowCount } = await database.db.query(
      'SELECT text, bytes, 2::bigint AS big, NULL AS none FROM note',
    );
    expect(rows).toEqual([{ text: "it's \u{1f34b} $1", bytes, big: 2, none: null }]);
    expect(rowCount).toBe(1);
    expect((await database.db.query('DELETE FROM note WHERE id = $1', [100])).rowCount).toBe(1);
    expect((await database.db.query('DELETE FROM note WHERE id = $1', [100])).rowCount).toBe(0);
  });

  test('a transaction that throws leaves nothing, and the next one works', async () => {
    const failing = database.db.transaction(async (tx) => {
      await tx.query(insert, [1]);
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    const refused = database.db.transaction(async (tx) => {
      await tx.query(insert, [2]);
      await tx.query(insert, [2]);
    });
    await expect(refused).rejects.toMatchObject({ code: '23505' });
    expect(await database.db.transaction(async (tx) => (await tx.query(insert, [3])).rowCount)).toBe(1);
    expect(await ids()).toEqual([3]);
    await database.db.query('DELETE FROM note');
  });

  test('a query beside an open transaction is not part of it', async () => {
    const outside: Promise<unknown>[] = [];
    const failing = database.db.transaction(async (tx) => {
      await tx.query(insert, [1]);
      outside.push(
        database.db.query(insert, [2]),
        database.db.query('not sql').catch((error) => error.code),
      );
      await tx.query('SELECT 1');
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(await outside[1]).toBe('42601');
    await outside[0];
    expect(await ids()).toEqual([2]);
  });

  test('migrations are applied once', async () => {
    expect(await migrate(database.db)).toEqual([]);
    await database.db.query("UPDATE schema_migration SET sha256 = 'x' WHERE name LIKE '0001%'");
    await expect(migrate(database.db)).rejects.toThrow('was changed after it was applied');
  });
});

describe('the embedded database', () => {
  test('has one process, and answers nobody after its end', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'memrelay-pglite-'));
    const open = () => openDatabase(`pglite:${directory}`, silent);
    const db = await open();
    await expect(open()).rejects.toThrow(DirectoryLockedError);
    const last = db.query('SELECT 1 AS one');
    await Promise.all([db.close(), db.close()]);
    expect((await last).rows).toEqual([{ one: 1 }]);
    await expect(db.query('SELECT 1')).rejects.toThrow();
    await expect(db.transaction(async () => 1)).rejects.toThrow();
    const again = await open();
    await again.close();
    await rm(directory, { recursive: true });
  });
});

const adminUrl = process.env.MEMRELAY_TEST_DATABASE_URL;

describe.runIf(adminUrl)('Postgres', () => {
  test('that gives up one of two transactions which wait for each other asks for the same again', async () => {
    const database = await createTestDatabase(adminUrl!);
    const db = await openDatabase(database.url, silent);
    await db.query('CREATE TABLE note (id integer PRIMARY KEY)');
    await db.query('INSERT INTO note VALUES (1), (2)');
    const bothHold = Promise.withResolvers<void>();
    let holding = 0;
    const lock = 'SELECT 1 FROM note WHERE id = $1 FOR UPDATE';
    const outcomes = await Promise.allSettled(
      [1, 2].map((id) =>
        db.transaction(async (tx) => {
          await tx.query(lock, [id]);
          if (++holding === 2) bothHold.resolve();
          await bothHold.promise;
          await tx.query(lock, [3 - id]);
        }),
      ),
    );
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused.map(({ reason }) => reason)).toMatchObject([{ code: 'overloaded', status: 503 }]);
    await db.close();
    await database.drop();
  });

  test('that cannot be reached is 503, and is used again when it is back', async () => {
    const target = new URL(adminUrl!);
    const proxy = await startTcpProxy(Number(target.port));
    target.port = String(proxy.port);
    target.hostname = '127.0.0.1';
    const db = await openDatabase(target.href, silent);
    const unavailable = { code: 'database_unavailable', status: 503, retryAfter: expect.any(Number) };
    expect((await db.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);

    const running = db.query('SELECT pg_sleep(30)').catch((error) => error);
    const held = db.transaction(async (tx) => {
      await tx.query('SELECT 1');
      const back = proxy.target;
      proxy.target = undefined;
      proxy.cut();
      await expect(tx.query('SELECT 1')).rejects.toMatchObject(unavailable);
      await expect(db.query('SELECT 1')).rejects.toMatchObject(unavailable);
      await expect(db.transaction(async () => 1)).rejects.toMatchObject(unavailable);
      proxy.target = back;
    });
    await expect(held).rejects.toMatchObject(unavailable);
    expect(await running).toMatchObject(unavailable);
    expect((await db.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await expect(db.query('not sql')).rejects.toMatchObject({ code: '42601' });
    await db.close();
    await proxy.close();
  });
});

describe.runIf(adminUrl)('the vector extension', () => {
  test('must be there already for a role that may not create it, and that is said', async () => {
    const database = await createTestDatabase(adminUrl!);
    const admin = await openDatabase(database.url, silent);
    const role = `limited_${randomBytes(6).toString('hex')}`;
    const name = new URL(database.url).pathname.slice(1);
    await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'limited'`);
    await admin.query(`GRANT ALL ON DATABASE ${name} TO ${role}`);
    await admin.query(`GRANT ALL ON SCHEMA public TO ${role}`);
    const target = new URL(database.url);
    target.username = role;
    target.password = 'limited';
    const limited = await openDatabase(target.href, silent);

    const refused = await migrate(limited).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ConfigError);
    expect((refused as Error).message).toContain('CREATE EXTENSION vector');
    await admin.query('CREATE EXTENSION vector');
    expect((await migrate(limited)).length).toBeGreaterThan(3);
    expect((await limited.query('SELECT 1 FROM memory')).rows).toEqual([]);

    await limited.close();
    await admin.query(`DROP OWNED BY ${role}`);
    await admin.query(`DROP ROLE ${role}`);
    await admin.close();
    await database.drop();
  });
});
