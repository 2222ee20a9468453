import { LRUCache } from 'lru-cache';
import type { Db, Queryable } from '../db/db.ts';

/** Who has ever registered memories that they sealed themselves (security.md, "Writers sign"). */
export interface AccountWriters {
  /** In the transaction that registers such a memory */
  remember(tx: Queryable, accountId: Buffer, publicKey: Buffer): Promise<void>;
  /** After that transaction: what is known of the account is read again */
  refresh(accountId: Buffer): void;
  /** Public keys, hex; at most a few seconds behind what another relayer registered */
  known(accountId: Buffer): Promise<readonly string[]>;
}

export function createAccountWriters(db: Db): AccountWriters {
  const cache = new LRUCache<string, Promise<readonly string[]>>({ max: 20_000, ttl: 5_000 });
  async function read(accountId: Buffer): Promise<readonly string[]> {
    const { rows } = await db.query<{ public_key: Buffer }>(
      'SELECT public_key FROM account_writer WHERE account_id = $1',
      [accountId],
    );
    return rows.map((row) => row.public_key.toString('hex'));
  }
  return {
    async remember(tx, accountId, publicKey) {
      await tx.query(
        'INSERT INTO account_writer (account_id, public_key) VALUES ($1, $2) ON CONFLICT DO NOTHING',
        [accountId, publicKey],
      );
    },
    refresh(accountId) {
      cache.delete(accountId.toString('hex'));
    },
    known(accountId) {
      const key = accountId.toString('hex');
      const cached = cache.get(key);
      if (cached) return cached;
      const reading = read(accountId);
      cache.set(key, reading);
      reading.catch(() => cache.delete(key));
      return reading;
    },
  };
}
