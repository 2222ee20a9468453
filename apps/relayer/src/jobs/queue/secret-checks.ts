import {
  listedCheckValue,
  missingKeyIds,
  type SecretRing,
  secretCheckValue,
} from '@memrelay/envelope/at-rest';
import { ConfigError } from '../../base/config/config-error.ts';
import type { Secrets } from '../../base/config/secrets.ts';
import type { Db, Queryable } from '../../base/db/db.ts';
import { idempotencyHours } from './idempotency.ts';

/** Any constant: relayers that start at the same time on one database are checked one after the other. */
const advisoryLock = 718_200_916;

/**
 * Stops a boot with other secrets than the database was used with, and keeps check values of those it sees first. Throws
 * `ConfigError` with one line for each variable, which says what would be lost and the way out.
 *
 * MEM_INDEX_KEY never changes. A newer MEM_SERVER_SECRET or writer key may be put in front of the former ones. A server
 * secret may go when nothing is sealed with it any more, a writer key when no memory can be signed with it. `dropped`
 * (MEM_DROPPED_SECRETS) names check values of secrets whose loss the operator accepts.
 */
export async function checkSecrets(
  db: Db,
  secrets: Secrets,
  ring: SecretRing,
  dropped: readonly string[] = [],
): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [advisoryLock]);
    await tx.query('DELETE FROM known_secret WHERE check_value = ANY($1)', [[...dropped]]);
    const problems = [
      await indexKeyProblem(tx, secrets.indexKey),
      await serverSecretProblem(tx, secrets.serverSecrets, ring),
      await writerKeyProblem(tx, secrets.writerKeys),
    ].filter((problem) => problem !== undefined);
    // Rolls back: a boot that stops leaves no check values
    if (problems.length > 0) throw new ConfigError(problems);
  });
}

async function indexKeyProblem(tx: Queryable, indexKey: Buffer): Promise<string | undefined> {
  const value = secretCheckValue(indexKey);
  await tx.query(
    `INSERT INTO secret_check (name, value) VALUES ('MEM_INDEX_KEY', $1) ON CONFLICT (name) DO NOTHING`,
    [value],
  );
  const { rows } = await tx.query<{ value: string }>(
    "SELECT value FROM secret_check WHERE name = 'MEM_INDEX_KEY'",
  );
  return rows[0]?.value === value
    ? undefined
    : 'MEM_INDEX_KEY is not the key this database was made with: set the former key again, or start with an empty database';
}

async function serverSecretProblem(
  tx: Queryable,
  serverSecrets: readonly Buffer[],
  ring: SecretRing,
): Promise<string | undefined> {
  const sealed = await tx.query<{ key_id: string }>(
    // A sealed cell names its key in bytes 2 to 9
    `SELECT encode(substring(outbox FROM 2 FOR 8), 'hex') AS key_id FROM memory_job WHERE outbox IS NOT NULL
     UNION SELECT encode(substring(answer FROM 2 FOR 8), 'hex') FROM idempotency
     WHERE created_at > now() - make_interval(hours => ${idempotencyHours})`,
  );
  const needed = missingKeyIds(
    ring,
    sealed.rows.map((row) => row.key_id),
  );
  if (needed.length > 0)
    return `MEM_SERVER_SECRET lacks a secret that is still needed (key id ${needed.join(', ')}): memories that wait to be embedded, or answers of the last ${idempotencyHours} hours that may be asked for again, were sealed with it. Add the former secret to the end of the list`;
  const variable = 'MEM_SERVER_SECRET';
  const known = await knownSecrets(tx, variable);
  const values = serverSecrets.map((secret) => listedCheckValue(variable, secret));
  if (known.length > 0 && !known.some(({ check_value }) => values.includes(check_value)))
    return `${variable} has none of the secrets this database was used with. Add the former secret to the end of the list; it may go ${idempotencyHours} hours later. If it is lost: nothing is sealed with it now, so ${wayOut(known)}`;
  for (const value of values) await remember(tx, variable, value, '-infinity');
  return undefined;
}

/**
 * Envelopes hide who signed them, so which key signed a memory follows from when each key was in use. A key that was
 * retired before it was first seen may have signed anything.
 */
async function writerKeyProblem(tx: Queryable, writerKeys: readonly Buffer[]): Promise<string | undefined> {
  const variable = 'MEM_WRITER_KEYS';
  const known = await knownSecrets(tx, variable);
  const values = writerKeys.map((seed) => listedCheckValue(variable, seed));
  const missing = known.filter(({ check_value }) => !values.includes(check_value));
  const lost = await signedSince(tx, missing);
  if (known.length > 0 && missing.length === known.length)
    return `${variable} has none of the keys this database was used with: ${lost.memories} memories would not be shown any more (untrusted_signer). Add the former keys to the end of the list. If they are lost or must not be believed any more, ${wayOut(missing)}`;
  if (lost.any)
    return `${variable} lacks ${missing.length === 1 ? 'a key' : `${missing.length} keys`} that memories were signed with: up to ${lost.memories} memories would not be shown any more (untrusted_signer). Add the former keys to the end of the list. If they are lost or must not be believed any more, ${wayOut(missing)}`;
  for (const { check_value } of missing)
    await tx.query('DELETE FROM known_secret WHERE variable = $1 AND check_value = $2', [
      variable,
      check_value,
    ]);
  for (const [i, value] of values.entries())
    await remember(tx, variable, value, i === 0 && known.length > 0 ? 'now' : '-infinity');
  return undefined;
}

interface KnownSecret {
  check_value: string;
}

async function knownSecrets(tx: Queryable, variable: string): Promise<KnownSecret[]> {
  const { rows } = await tx.query<KnownSecret>(
    'SELECT check_value FROM known_secret WHERE variable = $1 ORDER BY check_value',
    [variable],
  );
  return rows;
}

async function remember(
  tx: Queryable,
  variable: string,
  value: string,
  usedFrom: '-infinity' | 'now',
): Promise<void> {
  await tx.query(
    'INSERT INTO known_secret (variable, check_value, used_from) VALUES ($1, $2, $3::timestamptz) ON CONFLICT DO NOTHING',
    [variable, value, usedFrom],
  );
}

/** What may be signed with these keys; an hour of slack for relayers whose clock is behind the database's. */
async function signedSince(
  tx: Queryable,
  keys: readonly KnownSecret[],
): Promise<{ memories: number; any: boolean }> {
  if (keys.length === 0) return { memories: 0, any: false };
  const { rows } = await tx.query<{ memories: number; tombstones: number }>(
    `WITH used AS (SELECT min(used_from) - interval '1 hour' AS since FROM known_secret
       WHERE variable = 'MEM_WRITER_KEYS' AND check_value = ANY($1))
     SELECT (SELECT count(*) FROM memory WHERE created_at >= since)
       + (SELECT count(*) FROM memory_job WHERE status <> 'done' AND memory_job.created_at >= since
           AND NOT EXISTS (SELECT 1 FROM memory WHERE memory.account_id = memory_job.account_id AND memory.id = memory_job.id))
         AS memories,
       (SELECT count(*) FROM forgotten_memory) AS tombstones FROM used`,
    [keys.map(({ check_value }) => check_value)],
  );
  const { memories, tombstones } = rows[0]!;
  return { memories, any: memories > 0 || tombstones > 0 };
}

function wayOut(secrets: readonly KnownSecret[]): string {
  return `start once with MEM_DROPPED_SECRETS=${secrets.map(({ check_value }) => check_value).join(',')}`;
}
