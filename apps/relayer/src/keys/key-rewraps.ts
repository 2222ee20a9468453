import { type CachedByAccount, cachedByAccount } from '../accounts/cached-by-account.ts';
import type { Db, Queryable } from '../base/db/db.ts';

/** Wraps for the current key servers of keys that were wrapped for earlier ones (security.md, "Key-server loss"). */
export interface KeyRewraps
  /** By `recipient_pk` (64 hex digits); refreshed after the transaction that saved one */
  extends CachedByAccount<ReadonlyMap<string, Buffer>> {
  /** Id of the current key servers */
  readonly serverSet: string;
  /** False when there is one already. In the transaction that also keeps it for the owner. */
  save(tx: Queryable, accountId: Buffer, recipientPk: Buffer, wrap: Buffer): Promise<boolean>;
}

export function createKeyRewraps(db: Db, serverSet: string): KeyRewraps {
  async function read(accountId: Buffer): Promise<ReadonlyMap<string, Buffer>> {
    const { rows } = await db.query<{ recipient_pk: Buffer; wrap: Buffer }>(
      'SELECT recipient_pk, wrap FROM key_rewrap WHERE account_id = $1 AND server_set = $2',
      [accountId, serverSet],
    );
    return new Map(rows.map((row) => [row.recipient_pk.toString('hex'), row.wrap]));
  }

  return {
    serverSet,
    ...cachedByAccount(read),
    async save(tx, accountId, recipientPk, wrap) {
      const { rowCount } = await tx.query(
        `INSERT INTO key_rewrap (account_id, recipient_pk, server_set, wrap) VALUES ($1, $2, $3, $4)
         ON CONFLICT DO NOTHING`,
        [accountId, recipientPk, serverSet, wrap],
      );
      return rowCount > 0;
    },
  };
}
