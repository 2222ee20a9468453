import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { ConfigError } from '../config/config-error.ts';
import type { Db, Queryable } from './db.ts';

const directory = new URL('../../../migrations/', import.meta.url);
/** Lock id, any constant: relayers that start at the same time migrate one after the other. */
const advisoryLock = 718_200_915;

/**
 * The last migration of the set that was used before the first release. Its 31 files and today's initial set describe the
 * same tables, so a database that has all of them is converted by recording the initial set.
 */
const lastFormer = {
  name: '0032_known_secrets.sql',
  sha256: '334e158b6231675512869d390a0f960a839206889f82d6331e9b66b604e63966',
};
const initialSet = /^000[1-7]_/;

/**
 * Applies the numbered files in `migrations/`, each once and in order, and returns the names of those that were applied
 * now. Throws when a file has changed since it was applied (migrations are immutable), and `ConfigError` when the vector
 * extension is missing or the tables belong to another version.
 */
export async function migrate(db: Db): Promise<string[]> {
  const names = await migrationNames();
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
    const isFormer = known.get(lastFormer.name) === lastFormer.sha256;
    if (isFormer) {
      known.clear();
      await tx.query('DELETE FROM schema_migration');
      await tx.query('DROP TABLE IF EXISTS nonce_store');
    }
    const unknown = [...known.keys()].filter((name) => !names.includes(name)).sort();
    if (unknown.length > 0) throw otherVersion(unknown);
    for (const name of names) {
      const sql = await readFile(new URL(name, directory), 'utf8');
      const sha256 = sha256Of(sql);
      const before = known.get(name);
      if (before === sha256) continue;
      if (before !== undefined) throw new Error(`migration ${name} was changed after it was applied`);
      for (const statement of isFormer && initialSet.test(name) ? [] : statements(sql))
        await tx.query(statement).catch((error: unknown) => {
          throw (/^CREATE EXTENSION/m.test(statement) && extensionProblem(error)) || error;
        });
      await tx.query('INSERT INTO schema_migration (name, sha256) VALUES ($1, $2)', [name, sha256]);
      applied.push(name);
    }
  });
  return applied;
}

export interface MigrationState {
  /** Not applied yet */
  pending: string[];
  /** Applied by a newer version */
  unknown: string[];
  /** Applied from a file with other contents */
  changed: string[];
}

/** Compares the files in `migrations/` with those that were applied, without changing anything. */
export async function migrationState(db: Queryable): Promise<MigrationState> {
  const names = await migrationNames();
  const { rows: tables } = await db.query<{ there: boolean }>(
    "SELECT to_regclass('schema_migration') IS NOT NULL AS there",
  );
  const { rows } = tables[0]?.there
    ? await db.query<{ name: string; sha256: string }>('SELECT name, sha256 FROM schema_migration')
    : { rows: [] };
  const known = new Map(rows.map((row) => [row.name, row.sha256]));
  // `migrate` converts a database of the former set
  if (known.get(lastFormer.name) === lastFormer.sha256) known.clear();
  const changed: string[] = [];
  for (const name of names) {
    const before = known.get(name);
    if (before !== undefined && before !== sha256Of(await readFile(new URL(name, directory), 'utf8')))
      changed.push(name);
  }
  return {
    pending: names.filter((name) => !known.has(name)),
    unknown: [...known.keys()].filter((name) => !names.includes(name)).sort(),
    changed,
  };
}

async function migrationNames(): Promise<string[]> {
  return (await readdir(directory)).filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name)).sort();
}

const sha256Of = (sql: string): string => createHash('sha256').update(sql).digest('hex');

function otherVersion(unknown: readonly string[]): ConfigError {
  return new ConfigError([
    `DATABASE_URL: the tables belong to another version of memrelay (${unknown.at(-1)} is unknown here). Use that version, or an empty database and restore the memories from their blobs`,
  ]);
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
