import { type CachedByAccount, cachedByAccount } from '../accounts/cached-by-account.ts';
import type { Db, Queryable } from '../base/db/db.ts';
import { insertRewrap, readRewraps } from './rows/key-rewrap-rows.ts';

/**
 * New wraps, for the current key servers, of keys that were wrapped for earlier ones (security.md, "Key-server loss").
 */
export interface KeyRewraps
  /** By `recipient_pk` (64 hex digits); refreshed after the transaction that saved one */
  extends CachedByAccount<ReadonlyMap<string, Buffer>> {
  /** Id of the current key servers */
  readonly serverSet: string;
  /** Call it in the transaction that also queues the wrap's upload for the owner. False if the wrap exists already. */
  save(tx: Queryable, accountId: Buffer, recipientPk: Buffer, wrap: Buffer): Promise<boolean>;
}

export function createKeyRewraps(db: Db, serverSet: string): KeyRewraps {
  return {
    serverSet,
    ...cachedByAccount((accountId) => readRewraps(db, accountId, serverSet)),
    save: (tx, accountId, recipientPk, wrap) => insertRewrap(tx, { accountId, recipientPk, serverSet, wrap }),
  };
}
