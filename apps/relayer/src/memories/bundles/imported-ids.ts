import { indexKey, keyedHash } from '@memrelay/envelope/at-rest';
import type { Db } from '../../base/db/db.ts';

/**
 * The id that an envelope has here which had another one where it comes from: always the same one in this account, so that
 * what replaces it, by `supersedes`, finds it whichever of the two is taken in first. Nobody without the server's key sees
 * that they belong together. A random UUID by its form, as all ids of envelopes (security.md).
 */
export function importedId(secret: Uint8Array, accountId: Buffer, sourceId: Uint8Array): Buffer {
  const key = indexKey(secret, 'imported-id', accountId.toString('hex'));
  const id = Buffer.from(keyedHash(key, sourceId)).subarray(0, 16);
  id[6] = (id[6]! & 0x0f) | 0x40;
  id[8] = (id[8]! & 0x3f) | 0x80;
  return id;
}

/** Those of these ids (32 hex digits) that nothing of the account has, or had: a tombstone would bury what takes one again. */
export async function freeIds(
  db: Db,
  accountId: Buffer,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ id: string }>(
    `WITH given AS (SELECT decode(id, 'hex') AS envelope_id FROM unnest($2::text[]) AS id)
     SELECT encode(envelope_id, 'hex') AS id FROM given
     WHERE NOT EXISTS (
         SELECT 1 FROM memory WHERE memory.account_id = $1 AND memory.envelope_id = given.envelope_id)
       AND NOT EXISTS (
         SELECT 1 FROM forgotten_memory gone WHERE gone.account_id = $1 AND gone.envelope_id = given.envelope_id)
       AND NOT EXISTS (
         SELECT 1 FROM memory_job WHERE account_id = $1 AND status <> 'done' AND memory_job.envelope_id = given.envelope_id)`,
    [accountId, [...new Set(ids)]],
  );
  return new Set(rows.map(({ id }) => id));
}
