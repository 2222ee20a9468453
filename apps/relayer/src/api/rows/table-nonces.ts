import type { Logger } from 'pino';
import { createGroups } from '../../base/concurrency/groups.ts';
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

/** Nonces in one statement, and statements at a time */
const maxGroup = 64;
const groupsAtOnce = 2;

interface NewNonce {
  /** Hex */
  key: string;
  ttlSeconds: number;
}

interface Recorded {
  isNew: boolean;
  /** Time of the database */
  unixTime: number;
}

/** Records different nonces in one commit. They are written in the order of their keys, so that relayers cannot deadlock. */
async function recordAll(db: Db, nonces: readonly NewNonce[], at: Date | null): Promise<Recorded[]> {
  const { rows } = await db.query<{ time: number; recorded: string[] }>(
    `WITH clock AS (SELECT coalesce($3::timestamptz, now()) AS time),
     recorded AS (
       INSERT INTO nonce AS known (key, expires_at)
       SELECT decode(key, 'hex') AS key, time + make_interval(secs => ttl)
       FROM clock, unnest($1::text[], $2::float8[]) AS given (key, ttl) ORDER BY 1
       ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at
         WHERE known.expires_at <= coalesce($3::timestamptz, now())
       RETURNING encode(key, 'hex') AS key)
     SELECT floor(extract(epoch FROM time))::bigint AS time, ARRAY(SELECT key FROM recorded) AS recorded FROM clock`,
    [nonces.map(({ key }) => key), nonces.map(({ ttlSeconds }) => ttlSeconds), at],
    { prepared: true },
  );
  const { time: unixTime, recorded } = rows[0]!;
  const isNew = new Set(recorded);
  return nonces.map(({ key }) => ({ isNew: isNew.has(key), unixTime }));
}

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
  const recordInGroup = createGroups<NewNonce, Recorded>({
    run: (nonces) => recordAll(db, nonces, at()),
    atOnce: groupsAtOnce,
    maxItems: maxGroup,
    // A statement cannot see that it has recorded a nonce itself
    keyOf: ({ key }) => key,
  });
  const epoch = createNonceEpoch({ db, log });
  const nonces = createClaimedNonces({
    epoch,
    identify: async () => ({ store: table }),
    async record(_claim, key, signedAt, ttlSeconds) {
      try {
        const { isNew, unixTime } = await recordInGroup({ key: key.toString('hex'), ttlSeconds });
        failure = undefined;
        if (Math.abs(unixTime - signedAt) > storeWindowSeconds) return 'expired';
        return isNew ? 'fresh' : 'seen';
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
