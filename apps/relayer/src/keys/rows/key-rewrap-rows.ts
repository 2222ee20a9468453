import type { Db, Queryable } from '../../base/db/db.ts';

/** The account's wraps for these key servers, by `recipient_pk` (64 hex digits). */
export async function readRewraps(
  db: Db,
  accountId: Buffer,
  serverSet: string,
): Promise<ReadonlyMap<string, Buffer>> {
  const { rows } = await db.query<{ recipient_pk: Buffer; wrap: Buffer }>(
    'SELECT recipient_pk, wrap FROM key_rewrap WHERE account_id = $1 AND server_set = $2',
    [accountId, serverSet],
  );
  return new Map(rows.map((row) => [row.recipient_pk.toString('hex'), row.wrap]));
}

/** False if the wrap exists already. */
export async function insertRewrap(
  tx: Queryable,
  rewrap: { accountId: Buffer; recipientPk: Buffer; serverSet: string; wrap: Buffer },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `INSERT INTO key_rewrap (account_id, recipient_pk, server_set, wrap) VALUES ($1, $2, $3, $4)
     ON CONFLICT DO NOTHING`,
    [rewrap.accountId, rewrap.recipientPk, rewrap.serverSet, rewrap.wrap],
  );
  return rowCount > 0;
}
