import { ConfigError } from '../base/config/config-error.ts';
import { variables } from '../base/config/variables.ts';
import type { Db } from '../base/db/db.ts';
import { openDatabase } from '../base/db/open-database.ts';
import { createLoggers } from '../base/logging/loggers.ts';

/** Opens the database of DATABASE_URL, the only variable that is read. Throws `ConfigError`, or the database's error. */
export function openNamedDatabase(environment: NodeJS.ProcessEnv): Promise<Db> {
  const url = environment.DATABASE_URL?.trim();
  if (!url) throw new ConfigError(['DATABASE_URL is required']);
  const result = variables.pick({ DATABASE_URL: true }).safeParse({ DATABASE_URL: url });
  if (!result.success)
    throw new ConfigError(result.error.issues.map(({ message }) => `DATABASE_URL: ${message}`));
  const { database } = createLoggers({ filter: 'info', format: 'json' });
  return openDatabase(result.data.DATABASE_URL, database);
}
