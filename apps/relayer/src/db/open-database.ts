import type { Logger } from 'pino';
import type { Db } from './db.ts';
import { openPglite } from './pglite.ts';
import { openPostgres } from './postgres.ts';

const embedded = 'pglite:';

/** True when DATABASE_URL names an embedded directory: its keys may then be generated on the spot. */
export function isEmbedded(databaseUrl: string): boolean {
  return databaseUrl.startsWith(embedded);
}

/** Opens what DATABASE_URL names: `postgres://…`, or `pglite:<directory>` for the embedded database. */
export async function openDatabase(databaseUrl: string, log: Logger): Promise<Db> {
  const onError = (error: Error) => log.error({ err: error }, 'database connection failed');
  if (isEmbedded(databaseUrl)) return openPglite(databaseUrl.slice(embedded.length), onError);
  return openPostgres(databaseUrl, { onError });
}
