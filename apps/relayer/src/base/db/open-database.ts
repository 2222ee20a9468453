import type { Logger } from 'pino';
import { embeddedDirectory, isEmbedded } from '../config/database-url.ts';
import type { Db } from './db.ts';
import { openPglite } from './pglite.ts';

/**
 * Opens what DATABASE_URL names: `postgres://…`, or `pglite:<directory>` for the embedded database. `onLost` is
 * called when it has failed permanently.
 */
export async function openDatabase(
  databaseUrl: string,
  log: Logger,
  onLost: (reason: string) => void = () => undefined,
): Promise<Db> {
  if (isEmbedded(databaseUrl))
    return openPglite(embeddedDirectory(databaseUrl), (error) => {
      log.error({ err: error }, 'the embedded database has failed');
      onLost('the embedded database has failed');
    });
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres(databaseUrl, {
    onError: (error) => log.error({ err: error }, 'database connection failed'),
  });
}
