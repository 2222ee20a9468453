import { ConfigError } from './base/config/config-error.ts';
import { variables } from './base/config/variables.ts';
import { migrate } from './base/db/migrate.ts';
import { openDatabase } from './base/db/open-database.ts';
import { createLoggers } from './base/logging/loggers.ts';
import { databaseLine } from './start/database-problem.ts';

/**
 * `memrelay relayer migrate`: creates or updates the tables of DATABASE_URL, as each relayer does when it starts. For
 * deployments that give only this job the right to change tables. Exits with 1 if it fails.
 */
try {
  const { DATABASE_URL } = readVariables(process.env);
  const loggers = createLoggers({ filter: 'info', format: 'json' });
  const db = await openDatabase(DATABASE_URL, loggers.database);
  try {
    const applied = await migrate(db);
    const message = applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The tables are up to date.';
    process.stdout.write(`${message}\n`);
  } finally {
    await db.close();
  }
} catch (error) {
  process.stderr.write(`memrelay relayer migrate: ${problemOf(error)}\n`);
  process.exitCode = 1;
}

function readVariables(environment: NodeJS.ProcessEnv) {
  const url = environment.DATABASE_URL?.trim();
  if (!url) throw new ConfigError(['DATABASE_URL is required']);
  const result = variables.pick({ DATABASE_URL: true }).safeParse({ DATABASE_URL: url });
  if (result.success) return result.data;
  throw new ConfigError(result.error.issues.map(({ message }) => `DATABASE_URL: ${message}`));
}

function problemOf(error: unknown): string {
  return error instanceof ConfigError ? error.message : databaseLine(error);
}
