import type { Db, Queryable } from '../base/db/db.ts';
import { type CachedByAccount, cachedByAccount } from './cached-by-account.ts';
import { readWriters, saveWriter } from './rows/writer-rows.ts';

/** The keys that registered memories which they had sealed themselves (security.md, "Writers sign"). */
export interface AccountWriters
  /** Public keys, hex; refreshed after the transaction that registered one */
  extends CachedByAccount<readonly string[]> {
  /** Call it in the transaction that registers such a memory */
  remember(tx: Queryable, accountId: Buffer, publicKey: Buffer): Promise<void>;
}

export function createAccountWriters(db: Db): AccountWriters {
  return { ...cachedByAccount((accountId) => readWriters(db, accountId)), remember: saveWriter };
}
