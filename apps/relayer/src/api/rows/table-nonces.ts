import type { Logger } from 'pino';
import type { Db } from '../../base/db/db.ts';
import { createClaimedNonces, storeWindowSeconds } from '../nonces/claimed-nonces.ts';
import type { NonceStore } from '../nonces/nonce-store.ts';
import { createNonceEpoch } from './nonce-epoch.ts';

export interface TableNoncesOptions {
  db: Db;
  log: Logger;
  /**
   * Unix time in ms. The default is the database's clock: several relayers share the table, and the clock of one may be
   * wrong.
   */
  now?: () => number;
  /** Pause between two purges; default 30,000 ms */
  purgeEveryMs?: number;
  /** Rows per purge statement; default 5,000 */
  purgeBatch?: number;
}

/** The nonces are in the database, so they can only be lost if another store was used in between. */
const table = { identity: 'table', server: 'table' };

/**
 * Nonces in the database, for a relayer without Redis. A row is committed before `remember` returns, so nonces survive
 * a restart. Expired rows are purged in the background.
 */
export function createTableNonces(options: TableNoncesOptions): NonceStore {
  const { db, log, now, purgeEveryMs = 30_000, purgeBatch = 5_000 } = options;
  const at = (): Date | null => (now ? new Date(now()) : null);
  let failure: Error | undefined;
  let purging: Promise<void> | undefined;
  let closed = false;
  const epoch = createNonceEpoch({ db, log });
  const nonces = createClaimedNonces({
    epoch,
    identify: async () => ({ store: table }),
    async record(_claim, key, signedAt, ttlSeconds) {
      try {
        const { rows } = await db.query<{ fresh: boolean; offset_seconds: number }>(
          `WITH clock AS (SELECT coalesce($3::timestamptz, now()) AS time),
           recorded AS (
             INSERT INTO nonce AS known (key, expires_at)
             SELECT $1::bytea, time + make_interval(secs => $2) FROM clock
             ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at
               WHERE known.expires_at <= coalesce($3::timestamptz, now())
             RETURNING 1
           )
           SELECT EXISTS (SELECT FROM recorded) AS fresh,
             floor(extract(epoch FROM time))::bigint - $4::bigint AS offset_seconds
           FROM clock`,
          [key, ttlSeconds, at(), signedAt],
        );
        const { fresh, offset_seconds: offset } = rows[0]!;
        failure = undefined;
        if (Math.abs(offset) > storeWindowSeconds) return 'expired';
        return fresh ? 'fresh' : 'seen';
      } catch (error) {
        failure = error as Error;
        throw error;
      }
    },
    log,
    now: now ?? Date.now,
  });
  void nonces.check();

  async function purge(): Promise<void> {
    let deleted = purgeBatch;
    while (deleted === purgeBatch && !closed) {
      const { rowCount } = await db.query(
        'DELETE FROM nonce WHERE key IN (SELECT key FROM nonce WHERE expires_at <= coalesce($1::timestamptz, now()) LIMIT $2)',
        [at(), purgeBatch],
      );
      deleted = rowCount;
    }
  }

  const timer = setInterval(() => {
    purging ??= purge()
      .catch((error: unknown) => log.warn({ err: error }, 'cannot purge expired nonces'))
      .finally(() => {
        purging = undefined;
      });
  }, purgeEveryMs).unref();

  return {
    remember: nonces.remember,
    holder: nonces.holder,
    health: () => (failure ? { ok: false, detail: failure.name } : nonces.health()),
    async close() {
      closed = true;
      clearInterval(timer);
      nonces.stop();
      await purging;
      await epoch.close();
    },
  };
}
