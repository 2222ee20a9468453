import type { Db, Queryable } from '../../base/db/db.ts';

/** Public keys, hex, that registered memories which they had sealed themselves. */
export async function readWriters(db: Db, accountId: Buffer): Promise<string[]> {
  const { rows } = await db.query<{ public_key: Buffer }>(
    'SELECT public_key FROM account_writer WHERE account_id = $1',
    [accountId],
  );
  return rows.map((row) => row.public_key.toString('hex'));
}

export async function saveWriter(tx: Queryable, accountId: Buffer, publicKey: Buffer): Promise<void> {
  await tx.query(
    'INSERT INTO account_writer (account_id, public_key) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    [accountId, publicKey],
  );
}
