import { randomBytes } from 'node:crypto';
import { Client, escapeIdentifier } from 'pg';

export interface TestDatabase {
  url: string;
  /** Removes it, closing connections that are still open. */
  drop(): Promise<void>;
}

/**
 * A fresh database on the server of `adminUrl`, empty or a clone of the database `template` (which must
 * have no open connection: see `ensureTemplate`).
 */
export async function createTestDatabase(adminUrl: string, template = 'template1'): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await asAdmin(adminUrl, (admin) =>
    admin.query(`CREATE DATABASE ${escapeIdentifier(name)} TEMPLATE ${escapeIdentifier(template)}`),
  );
  return {
    url: databaseUrl(adminUrl, name),
    drop: () =>
      asAdmin(adminUrl, async (admin) => {
        await admin.query(`DROP DATABASE IF EXISTS ${escapeIdentifier(name)} WITH (FORCE)`);
      }),
  };
}

/**
 * Creates the database `name` once per server, prepared by `prepare` (usually: runs the migrations), for
 * `createTestDatabase` to clone. Test files run in separate processes, so an advisory lock decides which one prepares
 * it. `prepare` must have closed its connections when it returns. If it fails, no template is left behind.
 */
export async function ensureTemplate(
  adminUrl: string,
  name: string,
  prepare: (url: string) => Promise<void>,
): Promise<void> {
  await asAdmin(adminUrl, async (admin) => {
    await admin.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
    const known = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (known.rowCount) return;
    const unfinished = await createTestDatabase(adminUrl);
    try {
      await prepare(unfinished.url);
      const from = new URL(unfinished.url).pathname.slice(1);
      await admin.query(`ALTER DATABASE ${escapeIdentifier(from)} RENAME TO ${escapeIdentifier(name)}`);
    } catch (error) {
      await unfinished.drop();
      throw error;
    }
  });
}

function databaseUrl(adminUrl: string, name: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** The advisory lock, if one is held, is released with the connection. */
async function asAdmin<T>(adminUrl: string, step: (admin: Client) => Promise<T>): Promise<T> {
  const admin = new Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    return await step(admin);
  } finally {
    await admin.end();
  }
}
