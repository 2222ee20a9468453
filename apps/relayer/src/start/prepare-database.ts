import type { SecretRing } from '@memrelay/envelope/at-rest';
import type { KeyServersResponse } from '@memrelay/protocol/sidecar-api';
import type { Db } from '../base/db/db.ts';
import { migrate } from '../base/db/migrate.ts';
import type { Loggers } from '../base/logging/loggers.ts';
import type { Config } from '../config/config.ts';
import { checkSecrets } from '../jobs/queue/secret-checks.ts';
import { checkKeyServers } from '../keys/key-servers.ts';

/**
 * Creates or updates the tables, then compares the secrets and key servers with those used for the stored memories.
 * Throws `ConfigError` if one of them has changed.
 */
export async function prepareDatabase(options: {
  db: Db;
  config: Pick<Config, 'secrets' | 'droppedSecrets' | 'packageId'>;
  ring: SecretRing;
  keyServers: KeyServersResponse;
  loggers: Loggers;
}): Promise<void> {
  const { db, config, ring, keyServers, loggers } = options;
  const applied = await migrate(db);
  if (applied.length > 0) loggers.database.info({ applied }, 'database schema is up to date');
  await checkSecrets(db, config.secrets, ring, config.droppedSecrets);
  await checkKeyServers({ keyServers, db, packageId: config.packageId, log: loggers.main });
}
