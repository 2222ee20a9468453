import { missingKeyIds, type SecretRing, secretCheckValue } from '@memrelay/envelope/at-rest';
import type { Db } from '../db/db.ts';
import { idempotencyHours } from '../jobs/idempotency.ts';
import { ConfigError } from './read-config.ts';
import type { Secrets } from './secrets.ts';

/**
 * Stops a boot with another index key than the database was made with, or without a server secret that is still
 * needed: for text that waits to be embedded, or for the answer to a write that may be repeated. Throws `ConfigError`
 * with the way out.
 */
export async function checkSecrets(db: Db, secrets: Secrets, ring: SecretRing): Promise<void> {
  const value = secretCheckValue(secrets.indexKey);
  await db.query(
    `INSERT INTO secret_check (name, value) VALUES ('MEM_INDEX_KEY', $1) ON CONFLICT (name) DO NOTHING`,
    [value],
  );
  const { rows } = await db.query<{ value: string }>(
    "SELECT value FROM secret_check WHERE name = 'MEM_INDEX_KEY'",
  );
  if (rows[0]?.value !== value)
    throw new ConfigError([
      'MEM_INDEX_KEY is not the key this database was made with: set the former key again, or start with an empty database',
    ]);
  const used = await db.query<{ key_id: string }>(
    // A sealed cell names its key in bytes 2 to 9
    `SELECT encode(substring(outbox FROM 2 FOR 8), 'hex') AS key_id FROM memory_job WHERE outbox IS NOT NULL
     UNION SELECT encode(substring(answer FROM 2 FOR 8), 'hex') FROM idempotency
     WHERE created_at > now() - make_interval(hours => ${idempotencyHours})`,
  );
  const missing = missingKeyIds(
    ring,
    used.rows.map((row) => row.key_id),
  );
  if (missing.length > 0)
    throw new ConfigError([
      `MEM_SERVER_SECRET lacks a secret that is still needed (key id ${missing.join(', ')}): memories that wait to be embedded, or answers of the last ${idempotencyHours} hours that may be asked for again, were sealed with it. Add the former secret to the end of the list`,
    ]);
}
