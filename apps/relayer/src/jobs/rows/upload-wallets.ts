import type { Db } from '../../base/db/db.ts';
import { leaseSeconds } from './claim-jobs.ts';

/** The wallets that pay for uploads, shared by all relayers on one database. */
export interface WalletPool {
  readonly size: number;
  /**
   * Leases the wallet that was used least recently, for as long as the job's own lease is extended. Undefined when all
   * are in use or resting. `bound`: the wallet that may have paid for this job already. Only that one is then leased, even
   * if it is resting, unless it was removed from the pool.
   */
  lease(token: string, bound: string | undefined): Promise<string | undefined>;
  release(token: string): Promise<void>;
  /** Stops using a wallet for a while because it could not pay */
  rest(address: string): Promise<void>;
}

const restSeconds = 60;

/** The pool of these addresses; undefined without any, when a publisher pays. */
export async function createWalletPool(
  db: Db,
  addresses: readonly string[],
): Promise<WalletPool | undefined> {
  if (addresses.length === 0) return undefined;
  await db.query(
    'INSERT INTO upload_wallet (address) SELECT unnest($1::text[]) ON CONFLICT (address) DO NOTHING',
    [[...addresses]],
  );
  return {
    size: addresses.length,
    async lease(token, bound) {
      const only = bound !== undefined && addresses.includes(bound) ? bound : null;
      const { rows } = await db.query<{ address: string }>(
        `UPDATE upload_wallet SET lease_token = $1, lease_until = now() + make_interval(secs => ${leaseSeconds}),
           last_used = now()
         WHERE address = ANY (ARRAY(
           SELECT address FROM upload_wallet
           WHERE address = ANY($2) AND (lease_until IS NULL OR lease_until < now())
             AND (address = $3 OR $3::text IS NULL AND (rests_until IS NULL OR rests_until < now()))
           ORDER BY last_used NULLS FIRST LIMIT 1 FOR UPDATE SKIP LOCKED))
         RETURNING address`,
        [token, [...addresses], only],
      );
      return rows[0]?.address;
    },
    async release(token) {
      await db.query(
        'UPDATE upload_wallet SET lease_token = NULL, lease_until = NULL WHERE lease_token = $1',
        [token],
      );
    },
    async rest(address) {
      await db.query(
        `UPDATE upload_wallet SET rests_until = now() + make_interval(secs => ${restSeconds}) WHERE address = $1`,
        [address],
      );
    },
  };
}

/** Extends the leases of wallets together with those of the jobs they pay for. */
export async function extendWalletLeases(db: Db, tokens: readonly string[]): Promise<void> {
  await db.query(
    `UPDATE upload_wallet SET lease_until = now() + make_interval(secs => ${leaseSeconds})
     WHERE lease_token = ANY($1::uuid[])`,
    [[...tokens]],
  );
}
