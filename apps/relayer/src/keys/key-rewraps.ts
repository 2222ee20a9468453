import { LRUCache } from 'lru-cache';
import type { Db, Queryable } from '../db/db.ts';

/** Wraps for the current key servers of keys that were wrapped for earlier ones (security.md, "Key-server loss"). */
export interface KeyRewraps {
  /** Id of the current key servers */
  readonly serverSet: string;
  /** By `recipient_pk` (64 hex digits); at most a few seconds behind what another relayer saved */
  of(accountId: Buffer): Promise<ReadonlyMap<string, Buffer>>;
  /** False when there is one already. In the transaction that also keeps it for the owner. */
  save(tx: Queryable, accountId: Buffer, recipientPk: Buffer, wrap: Buffer): Promise<boolean>;
  /** After that transaction */
  refresh(accountId: Buffer): void;
}

export function createKeyRewraps(db: Db, serverSet: string): KeyRewraps {
  const cache = new LRUCache<string, Promise<ReadonlyMap<string, Buffer>>>({ max: 20_000, ttl: 5_000 });

  async function read(accountId: Buffer): Promise<ReadonlyMap<string, Buffer>> {
    const { rows } = await db.query<{ recipient_pk: Buffer; wrap: Buffer }>(
      'SELECT recipient_pk, wrap FROM key_rewrap WHERE account_id = $1 AND server_set = $2',
      [accountId, serverSet],
    );
    return new Map(rows.map((row) => [row.recipient_pk.toString('hex'), row.wrap]));
  }

  return {
    serverSet,
    of(accountId) {
      const key = accountId.toString('hex');
      const cached = cache.get(key);
      if (cached) return cached;
      const reading = read(accountId);
      cache.set(key, reading);
      reading.catch(() => cache.delete(key));
      return reading;
    },
    async save(tx, accountId, recipientPk, wrap) {
      const { rowCount } = await tx.query(
        `INSERT INTO key_rewrap (account_id, recipient_pk, server_set, wrap) VALUES ($1, $2, $3, $4)
         ON CONFLICT DO NOTHING`,
        [accountId, recipientPk, serverSet, wrap],
      );
      return rowCount > 0;
    },
    refresh(accountId) {
      cache.delete(accountId.toString('hex'));
    },
  };
}
