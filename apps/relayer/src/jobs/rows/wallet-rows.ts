import type { WalletFunds } from '@memrelay/protocol/sidecar-api';
import type { Db, Queryable } from '../../base/db/db.ts';

export type WalletLevel = 'ok' | 'low' | 'empty';

/** The wallet's level at the last check. The row stays locked until the transaction ends. */
export async function lockWalletLevel(
  tx: Queryable,
  { address, purpose }: Pick<WalletFunds, 'address' | 'purpose'>,
): Promise<WalletLevel> {
  await tx.query('INSERT INTO wallet_funds (address, purpose) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    address,
    purpose,
  ]);
  const { rows } = await tx.query<{ level: WalletLevel }>(
    'SELECT level FROM wallet_funds WHERE address = $1 AND purpose = $2 FOR UPDATE',
    [address, purpose],
  );
  return rows[0]!.level;
}

export async function saveWalletLevel(
  tx: Queryable,
  { address, purpose, pays_for }: WalletFunds,
  level: WalletLevel,
): Promise<void> {
  await tx.query(
    `UPDATE wallet_funds SET level = $3, pays_for = $4, checked_at = now() WHERE address = $1 AND purpose = $2`,
    [address, purpose, level, pays_for],
  );
}

/** How many uploads each wallet could pay for, if it was checked since then; in the order of their addresses. */
export async function walletUploads(
  db: Db,
  since: Date,
): Promise<{ purpose: WalletFunds['purpose']; uploads: number }[]> {
  const { rows } = await db.query<{ purpose: WalletFunds['purpose']; uploads: number }>(
    `SELECT purpose, pays_for::int AS uploads FROM wallet_funds
     WHERE checked_at >= $1 AND pays_for IS NOT NULL ORDER BY purpose, address LIMIT 100`,
    [since],
  );
  return rows;
}

/** How many of the wallets could pay for an upload at the last check; undefined before the first check. */
export async function payingWallets(
  db: Db,
  addresses: readonly string[],
): Promise<{ paying: number; of: number } | undefined> {
  const { rows } = await db.query<{ paying: number; of: number }>(
    `SELECT count(*) FILTER (WHERE pays_for > 0)::int AS paying, count(*)::int AS of FROM wallet_funds
     WHERE purpose = 'uploads' AND address = ANY($1)`,
    [[...addresses]],
  );
  return rows[0] && rows[0].of > 0 ? rows[0] : undefined;
}
