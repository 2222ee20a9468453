import type { Db } from '../../base/db/db.ts';

/** Saves the public key of a key server seen for the first time. Returns the saved key, new or old. */
export async function pinPublicKey(
  db: Db,
  packageId: string,
  server: { objectId: string; publicKey: string },
): Promise<string | undefined> {
  await db.query(
    'INSERT INTO key_server_pin (package_id, object_id, public_key) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [packageId, server.objectId, server.publicKey],
  );
  const { rows } = await db.query<{ public_key: string }>(
    'SELECT public_key FROM key_server_pin WHERE package_id = $1 AND object_id = $2',
    [packageId, server.objectId],
  );
  return rows[0]?.public_key;
}

/** A set of key servers for which keys in the database are wrapped. */
interface SetOfKeys {
  id: string;
  /** Namespaces with such keys, of all accounts and epochs */
  namespaces: number;
  /** The wraps of one of these keys, encoded as in the column */
  wraps: Buffer;
}

/** The sets of all accounts except `known`, counting only keys without a later wrap for the `current` one. */
export async function readOtherSets(db: Db, known: readonly string[], current: string): Promise<SetOfKeys[]> {
  const { rows } = await db.query<SetOfKeys>(
    `SELECT server_set AS id, count(*)::int AS namespaces,
       (SELECT wraps FROM namespace_key any_key WHERE any_key.server_set = place.server_set LIMIT 1) AS wraps
     FROM (
       SELECT DISTINCT server_set, account_id, tag FROM namespace_key old_key
       WHERE NOT server_set = ANY($1) AND NOT EXISTS (
         SELECT 1 FROM key_rewrap
         WHERE account_id = old_key.account_id AND recipient_pk = old_key.recipient_pk AND server_set = $2
       )
     ) place
     GROUP BY server_set ORDER BY server_set`,
    [[...known], current],
  );
  return rows;
}
