import type { Db, Queryable } from '../base/db/db.ts';
import { type CachedByAccount, cachedByAccount } from './cached-by-account.ts';

/** Who has ever registered memories that they sealed themselves (security.md, "Writers sign"). */
export interface AccountWriters
  /** Public keys, hex; refreshed after the transaction that registered one */
  extends CachedByAccount<readonly string[]> {
  /** In the transaction that registers such a memory */
  remember(tx: Queryable, accountId: Buffer, publicKey: Buffer): Promise<void>;
}

export function createAccountWriters(db: Db): AccountWriters {
  async function read(accountId: Buffer): Promise<readonly string[]> {
    const { rows } = await db.query<{ public_key: Buffer }>(
      'SELECT public_key FROM account_writer WHERE account_id = $1',
      [accountId],
    );
    return rows.map((row) => row.public_key.toString('hex'));
  }
  return {
    ...cachedByAccount(read),
    async remember(tx, accountId, publicKey) {
      await tx.query(
        'INSERT INTO account_writer (account_id, public_key) VALUES ($1, $2) ON CONFLICT DO NOTHING',
        [accountId, publicKey],
      );
    },
  };
}
