import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { ConfigError } from '../config/config-error.ts';
import type { Db } from './db.ts';

const directory = new URL('../../../migrations/', import.meta.url);
/** Any constant: two relayers that start together migrate one after the other. */
const advisoryLock = 718_200_915;

/**
 * Brings the schema up to date with the numbered files in `migrations/`, each once and in order. Throws when a file
 * that was applied has changed since: migrations are immutable; `ConfigError` when the vector extension cannot be had.
 */
export async function migrate(db: Db): Promise<string[]> {
  const names = (await readdir(directory)).filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name)).sort();
  const applied: string[] = [];
  await db.transaction(async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [advisoryLock]);
    await tx.query(
      'CREATE TABLE IF NOT EXISTS schema_migration (name text PRIMARY KEY, sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())',
    );
    const { rows } = await tx.query<{ name: string; sha256: string }>(
      'SELECT name, sha256 FROM schema_migration',
    );
    const known = new Map(rows.map((row) => [row.name, row.sha256]));
    for (const name of names) {
      const sql = await readFile(new URL(name, directory), 'utf8');
      const sha256 = createHash('sha256').update(sql).digest('hex');
      const before = known.get(name);
      if (before === sha256) continue;
      if (before !== undefined) throw new Error(`migration ${name} was changed after it was applied`);
      for (const statement of statements(sql))
        await tx.query(statement).catch((error: unknown) => {
          throw (/^CREATE EXTENSION/m.test(statement) && extensionProblem(error)) || error;
        });
      await tx.query('INSERT INTO schema_migration (name, sha256) VALUES ($1, $2)', [name, sha256]);
      applied.push(name);
    }
  });
  return applied;
}

/** Postgres: insufficient_privilege; feature_not_supported (before 16: undefined_file) where nothing is installed. */
function extensionProblem(error: unknown): ConfigError | undefined {
  const { code } = error as { code?: string };
  if (code === '42501')
    return new ConfigError([
      'DATABASE_URL: the vector extension is not in this database and its role may not create it; run CREATE EXTENSION vector there as a superuser',
    ]);
  if (code === '0A000' || code === '58P01')
    return new ConfigError([
      'DATABASE_URL: pgvector is not installed on the server of this database; install it (https://github.com/pgvector/pgvector)',
    ]);
  return undefined;
}

/** Splits at lines that are only `--`; the extended protocol takes one statement at a time. */
function statements(sql: string): string[] {
  return sql
    .split(/^--$/m)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
