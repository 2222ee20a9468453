import { envelopeKind } from '@memrelay/envelope/header';
import type { Queryable } from '../../base/db/db.ts';
import { idempotencyHours } from './idempotency-rows.ts';

/** Arbitrary lock id: relayers that start at the same time on one database are checked one after the other. */
const advisoryLock = 718_200_916;

export async function lockSecrets(tx: Queryable): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock($1)', [advisoryLock]);
}

export async function forgetSecrets(tx: Queryable, checkValues: readonly string[]): Promise<void> {
  await tx.query('DELETE FROM known_secret WHERE check_value = ANY($1)', [[...checkValues]]);
}

export async function forgetSecret(tx: Queryable, variable: string, checkValue: string): Promise<void> {
  await tx.query('DELETE FROM known_secret WHERE variable = $1 AND check_value = $2', [variable, checkValue]);
}

/** Stores the check value of the index key if there is none yet. Returns the stored one. */
export async function keepIndexKeyCheck(tx: Queryable, value: string): Promise<string | undefined> {
  await tx.query(
    `INSERT INTO secret_check (name, value) VALUES ('MEM_INDEX_KEY', $1) ON CONFLICT (name) DO NOTHING`,
    [value],
  );
  const { rows } = await tx.query<{ value: string }>(
    "SELECT value FROM secret_check WHERE name = 'MEM_INDEX_KEY'",
  );
  return rows[0]?.value;
}

/** Ids of the keys needed to open the sealed texts and answers of all accounts. */
export async function sealingKeyIds(tx: Queryable): Promise<string[]> {
  const { rows } = await tx.query<{ key_id: string }>(
    // A sealed cell names its key in bytes 2 to 9
    `SELECT encode(substring(outbox FROM 2 FOR 8), 'hex') AS key_id FROM memory_job WHERE outbox IS NOT NULL
     UNION SELECT encode(substring(answer FROM 2 FOR 8), 'hex') FROM idempotency
     WHERE created_at > now() - make_interval(hours => ${idempotencyHours})`,
  );
  return rows.map((row) => row.key_id);
}

/** A secret that this database was used with. */
export interface KnownSecret {
  check_value: string;
}

export async function readKnownSecrets(tx: Queryable, variable: string): Promise<KnownSecret[]> {
  const { rows } = await tx.query<KnownSecret>(
    'SELECT check_value FROM known_secret WHERE variable = $1 ORDER BY check_value',
    [variable],
  );
  return rows;
}

export async function keepSecret(
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

/** Upper bounds of what may have been signed with some writer keys. */
export interface Signed {
  memories: number;
  /** Forgotten memories, whose tombstones are signed */
  forgotten: number;
}

/**
 * What was written since the first of these keys was in use, with an hour of tolerance for relayers whose clock is behind
 * the database's. An imported memory keeps its original date, so it is counted by its job as long as that exists. Not counted:
 * bytes that are not an envelope, renewals, and texts that wait for the same text of another job.
 */
export async function signedSince(tx: Queryable, keys: readonly KnownSecret[]): Promise<Signed> {
  if (keys.length === 0) return { memories: 0, forgotten: 0 };
  const { rows } = await tx.query<Signed>(
    `WITH used AS (SELECT min(used_from) - interval '1 hour' AS since FROM known_secret
       WHERE variable = 'MEM_WRITER_KEYS' AND check_value = ANY($1)),
     signed AS (
       SELECT 1 FROM used, memory LEFT JOIN memory_job job USING (account_id, id)
       WHERE memory.envelope_id IS NOT NULL AND greatest(memory.created_at, job.created_at) >= since
       UNION ALL
       SELECT 1 FROM used, memory_job job
       WHERE kind = ${envelopeKind.memory} AND status <> 'done' AND job.created_at >= since
         AND envelope_id IS NOT NULL AND NOT duplicate AND checkpoint ->> 'renews' IS NULL
         AND NOT EXISTS (SELECT FROM memory WHERE memory.account_id = job.account_id AND memory.id = job.id))
     SELECT (SELECT count(*) FROM signed) AS memories,
       (SELECT count(*) FROM forgotten_memory WHERE forgotten_at >= since) AS forgotten
     FROM used`,
    [keys.map(({ check_value }) => check_value)],
  );
  return rows[0]!;
}
