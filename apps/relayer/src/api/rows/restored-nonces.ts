import type { Queryable } from '../../base/db/db.ts';
import { maxAheadSeconds } from './nonce-epoch.ts';

/**
 * After the database was restored from a backup: its record of accepted requests ends at the backup, so every request that
 * the former relayers may have accepted until they stopped is refused from now on. Returns the Unix time in seconds until
 * which signed requests are refused.
 */
export async function refuseFormerRequests(tx: Queryable, stoppedAt: number): Promise<number> {
  const until = stoppedAt + maxAheadSeconds;
  // An identity that no store has: the next relayer sees a change, and accepts only what was signed after `signed_until`
  const updated = await tx.query<{ signed_until: number }>(
    `UPDATE nonce_epoch SET identity = 'restored', version = version + 1,
       signed_until = greatest(signed_until, accepts_after, $1::bigint) RETURNING signed_until`,
    [until],
  );
  if (updated.rowCount === 0)
    await tx.query("INSERT INTO nonce_epoch (identity, signed_until) VALUES ('restored', $1)", [until]);
  // Relayers of the backup do not run any more
  await tx.query('DELETE FROM nonce_user');
  return updated.rows[0]?.signed_until ?? until;
}
