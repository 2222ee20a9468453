import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase } from '@memrelay/dev-env/services/test-database';
import { DirectoryLockedError } from '@memrelay/process/dir-lock';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ConfigError } from '../../src/base/config/config-error.ts';
import { migrate } from '../../src/base/db/migrate.ts';
import { openDatabase } from '../../src/base/db/open-database.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

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

  test('returns values as they were stored', async () => {
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

  test('rolls back a transaction that throws, and the next one works', async () => {
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

  test('runs a query outside an open transaction separately', async () => {
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

  test('applies migrations once', async () => {
    expect(await migrate(database.db)).toEqual([]);
    await database.db.query("UPDATE schema_migration SET sha256 = 'x' WHERE name LIKE '0001%'");
    await expect(migrate(database.db)).rejects.toThrow('was changed after it was applied');
  });
});

/** `schema_migration` as it was after the last migration of the set before the first release. */
const former = ['0001_memories.sql', '0031_nonce_epoch.sql', '0032_known_secrets.sql'];
const formerSha256 = '334e158b6231675512869d390a0f960a839206889f82d6331e9b66b604e63966';

describe.each(databases)('a database of an earlier version on $name', ({ create }) => {
  let database: TestDb;
  beforeEach(async () => {
    database = await create();
    await database.db.query('DELETE FROM schema_migration');
  });
  afterEach(() => database.drop());
  const applied = async (names: readonly string[], sha256 = formerSha256): Promise<void> => {
    for (const name of names)
      await database.db.query('INSERT INTO schema_migration (name, sha256) VALUES ($1, $2)', [name, sha256]);
  };
  const recorded = async () =>
    (await database.db.query<{ name: string }>('SELECT name FROM schema_migration')).rows.map(
      ({ name }) => name,
    );

  test('is converted when it has every former migration, and keeps its rows', async () => {
    await applied(former);
    // Later migrations add them
    const newer = 'DROP COLUMN context_tokens, DROP COLUMN tag_tokens, DROP COLUMN expires_at';
    await database.db.query(`ALTER TABLE memory DROP COLUMN token_version, DROP COLUMN changed, ${newer}`);
    await database.db.query(`ALTER TABLE memory_job ${newer}`);
    await database.db.query(
      'DROP TABLE audit_entry, audit_head, deleted_memory, webhook, webhook_delivery, announced_expiry',
    );
    await database.db.query(
      'DROP FUNCTION note_memory_change, note_memory_deletion, note_succession, note_webhook_event, note_job_end CASCADE',
    );
    await database.db.query("INSERT INTO event_cursor VALUES ('accounts', 'c1')");
    expect((await migrate(database.db))[0]).toBe('0001_memories.sql');
    expect(await recorded()).not.toContain('0032_known_secrets.sql');
    expect((await database.db.query('SELECT cursor FROM event_cursor')).rows).toEqual([{ cursor: 'c1' }]);
    expect(await migrate(database.db)).toEqual([]);
  });

  test.each([
    { reason: 'a former migration is missing', names: former.slice(0, 2), sha256: formerSha256 },
    { reason: 'the last former migration has other contents', names: former, sha256: 'x' },
    { reason: 'it has a migration of a later version', names: ['9999_later.sql'], sha256: 'x' },
  ])('is rejected, and unchanged, when $reason', async ({ names, sha256 }) => {
    await applied(names, sha256);
    const refused = await migrate(database.db).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ConfigError);
    expect((refused as Error).message).toContain(`${names.at(-1)} is unknown here`);
    expect(await recorded()).toEqual(names);
  });
});

describe('the embedded database', () => {
  test('belongs to one process, and rejects queries after its close', async () => {
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
  test('retries a transaction that Postgres aborts because of a deadlock', async () => {
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

  test('returns 503 while unreachable, and is used again once it is back', async () => {
    const target = new URL(adminUrl!);
    const proxy = await startTcpProxy(Number(target.port));
    target.port = String(proxy.port);
    target.hostname = '127.0.0.1';
    const db = await openDatabase(target.href, silent);
    const unavailable = { code: 'database_unavailable', status: 503, retryAfter: expect.any(Number) };
    expect((await db.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);

    const running = db.query('SELECT pg_sleep(30)').catch((error) => error);
    const openTransaction = db.transaction(async (tx) => {
      await tx.query('SELECT 1');
      const back = proxy.target;
      proxy.target = undefined;
      proxy.cut();
      await expect(tx.query('SELECT 1')).rejects.toMatchObject(unavailable);
      await expect(db.query('SELECT 1')).rejects.toMatchObject(unavailable);
      await expect(db.transaction(async () => 1)).rejects.toMatchObject(unavailable);
      proxy.target = back;
    });
    await expect(openTransaction).rejects.toMatchObject(unavailable);
    expect(await running).toMatchObject(unavailable);
    expect((await db.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await expect(db.query('not sql')).rejects.toMatchObject({ code: '42601' });
    await db.close();
    await proxy.close();
  });
});

describe.runIf(adminUrl)('the vector extension', () => {
  test('must exist already for a role that may not create it, and the error says so', async () => {
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
