import { ConfigError } from './base/config/config-error.ts';
import { migrate } from './base/db/migrate.ts';
import { databaseLine } from './start/database-problem.ts';
import { openNamedDatabase } from './start/open-named-database.ts';

/**
 * `memrelay relayer migrate`: creates or updates the tables of DATABASE_URL, as each relayer does when it starts. For
 * deployments that give only this job the right to change tables. Exits with 1 if it fails.
 */
try {
  const db = await openNamedDatabase(process.env);
  try {
    const applied = await migrate(db);
    const message = applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The tables are up to date.';
    process.stdout.write(`${message}\n`);
  } finally {
    await db.close();
  }
} catch (error) {
  const problem = error instanceof ConfigError ? error.message : databaseLine(error);
  process.stderr.write(`memrelay relayer migrate: ${problem}\n`);
  process.exitCode = 1;
}
