import type { Db, Queryable } from '../../base/db/db.ts';
import { bytesToAddress, hexToBytes } from '../../base/db/hex.ts';
import type { AccountSnapshot } from '../account-directory.ts';

/**
 * Compares an account that was just read with the highest version ever seen, and saves it with its delegate keys if it
 * is newer. `outdated`: the node returned an older state than one already seen, so it must not be used.
 */
export async function recordAccount(
  db: Db,
  account: AccountSnapshot,
): Promise<'newer' | 'known' | 'outdated'> {
  const before = await compareWithSeen(db, account);
  if (before !== 'newer') return before;
  return db.transaction(async (tx) => {
    const { rowCount } = await tx.query(
      `INSERT INTO account_version AS seen (account_id, object_version, key_epoch) VALUES ($1, $2, $3)
       ON CONFLICT (account_id) DO UPDATE
         SET object_version = excluded.object_version, key_epoch = excluded.key_epoch
         WHERE seen.object_version < excluded.object_version AND seen.key_epoch <= excluded.key_epoch`,
      [hexToBytes(account.accountId), account.objectVersion, account.keyEpoch],
    );
    // Another relayer saved it first
    if (rowCount === 0) return compareWithSeen(tx, account);
    await replaceDelegates(tx, account);
    return 'newer';
  });
}

async function compareWithSeen(
  db: Queryable,
  account: AccountSnapshot,
): Promise<'newer' | 'known' | 'outdated'> {
  const { rows } = await db.query<{ object_version: string; key_epoch: string }>(
    'SELECT object_version::text, key_epoch::text FROM account_version WHERE account_id = $1',
    [hexToBytes(account.accountId)],
  );
  const seen = rows[0];
  if (!seen) return 'newer';
  const seenVersion = BigInt(seen.object_version);
  if (account.objectVersion < seenVersion || account.keyEpoch < Number(seen.key_epoch)) return 'outdated';
  return account.objectVersion === seenVersion ? 'known' : 'newer';
}

async function replaceDelegates(tx: Queryable, account: AccountSnapshot): Promise<void> {
  const accountId = hexToBytes(account.accountId);
  await tx.query('DELETE FROM delegate_key WHERE account_id = $1', [accountId]);
  await tx.query(
    `INSERT INTO delegate_key (public_key, account_id, proven)
     SELECT decode(key, 'hex'), $1, proven FROM unnest($2::text[], $3::boolean[]) AS listed (key, proven)`,
    [
      accountId,
      account.delegates.map(({ publicKey }) => publicKey),
      account.delegates.map(({ proven }) => proven),
    ],
  );
}

/** True if this account was ever seen on chain. Accounts are never deleted. */
export async function wasSeen(db: Queryable, accountId: string): Promise<boolean> {
  const { rows } = await db.query('SELECT 1 FROM account_version WHERE account_id = $1', [
    hexToBytes(accountId),
  ]);
  return rows.length > 0;
}

/** Accounts that list the key, proven entries first. `publicKey` has 64 hex digits. */
export async function accountsWithKey(
  db: Queryable,
  publicKey: string,
): Promise<{ accountId: string; proven: boolean }[]> {
  const { rows } = await db.query<{ account_id: Buffer; proven: boolean }>(
    'SELECT account_id, proven FROM delegate_key WHERE public_key = $1 ORDER BY proven DESC, account_id LIMIT 100',
    [hexToBytes(publicKey)],
  );
  return rows.map((row) => ({ accountId: bytesToAddress(row.account_id), proven: row.proven }));
}

/** The stored cursor of a feed, null when it was never read. */
export async function readCursor(db: Queryable, feed: string): Promise<string | null> {
  const { rows } = await db.query<{ cursor: string }>('SELECT cursor FROM event_cursor WHERE feed = $1', [
    feed,
  ]);
  return rows[0]?.cursor ?? null;
}

export async function saveCursor(db: Queryable, feed: string, cursor: string): Promise<void> {
  await db.query(
    'INSERT INTO event_cursor (feed, cursor) VALUES ($1, $2) ON CONFLICT (feed) DO UPDATE SET cursor = excluded.cursor',
    [feed, cursor],
  );
}
