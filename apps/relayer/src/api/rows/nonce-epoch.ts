import { randomUUID } from 'node:crypto';
import { timestampWindowSeconds } from '@memrelay/protocol/signing';
import type { Logger } from 'pino';
import type { Db, Queryable } from '../../base/db/db.ts';
import type { StoreHolder } from '../nonces/nonce-store.ts';

/**
 * Makes all relayers of a database use the same nonce store. It prevents a request that was accepted with one store
 * from being accepted again with the next one:
 *
 * - A relayer accepts a request only after `signed_until` in the database is at least the time it was signed (`cover`).
 * - When the store changes, `accepts_after` is set to `signed_until` in the same statement as the new identity. From
 *   then
 *   on only requests signed later are accepted, so none that any relayer accepted before.
 *
 * Both are timestamps of requests. A relayer that has not noticed the change can still accept requests that it has
 * covered, which the new store refuses; it cannot cover any more.
 *
 * After a change, requests are refused until `signed_until` has passed. A relayer whose clock is far ahead must not
 * move `signed_until` far into the future, so `cover` allows nothing beyond the database's clock + `maxAheadSeconds`.
 */
export interface NonceEpoch {
  /** Makes the store with this identity the current one, unless running relayers use another server. */
  claim(store: StoreIdentity): Promise<Claim | { holder: StoreHolder }>;
  /**
   * Allows requests signed up to `signedAt`, plus `coverAheadSeconds`, to be accepted. Returns `changed` when the store
   * has changed, and `ahead` when the database's clock is more than `maxAheadSeconds` behind `signedAt`: the request
   * must then be refused.
   */
  cover(claim: Claim, signedAt: number): Promise<'covered' | 'changed' | 'ahead'>;
  /** This relayer uses no store for now, so others need not wait for it. */
  leave(): void;
  close(): Promise<void>;
}

export interface StoreIdentity {
  /** Changes whenever nonces may have been lost */
  identity: string;
  /** Must be the same for all relayers at any time: `table`, or a run of a Redis server */
  server: string;
}

export interface Claim extends StoreIdentity {
  /** Counts store changes. A store that was left and later claimed again has a new version. */
  version: number;
  /** Unix seconds: requests signed then or earlier are refused */
  acceptsAfter: number;
  /** Unix seconds: requests signed until then may be accepted */
  covered: number;
  /** True when this claim has replaced another store */
  changed: boolean;
}

/**
 * How far ahead `cover` writes, so that it writes at most once in this time. Also how long a change refuses requests.
 */
export const coverAheadSeconds = 10;
/**
 * The most that `cover` may be ahead of the database's clock. A store change refuses requests for no longer than this.
 */
export const maxAheadSeconds = timestampWindowSeconds + coverAheadSeconds;
const heartbeatMs = 5_000;
/** A relayer without a heartbeat for this long counts as dead. */
const aliveSeconds = 15;

interface Row {
  identity: string;
  version: number;
  accepts_after: number;
  signed_until: number;
}

export function createNonceEpoch({ db, log }: { db: Db; log: Logger }): NonceEpoch {
  const relayerId = randomUUID();
  let server: string | null = null;
  // The embedded database is locked by this process, so there are no other relayers
  const isShared = db.kind === 'postgres';

  const show = (to: Queryable, shown: string | null): Promise<unknown> =>
    to.query(
      `INSERT INTO nonce_user (relayer_id, server, seen_at) VALUES ($1, $2, now())
       ON CONFLICT (relayer_id) DO UPDATE SET server = excluded.server, seen_at = excluded.seen_at`,
      [relayerId, shown],
    );
  const heartbeat = isShared
    ? setInterval(() => {
        show(db, server).catch((error: unknown) =>
          log.warn({ err: error }, 'cannot write the heartbeat of this relayer'),
        );
      }, heartbeatMs).unref()
    : undefined;

  async function otherUser(tx: Queryable, own: string): Promise<StoreHolder | undefined> {
    const { rows } = await tx.query<{ server: string; seen_at: Date }>(
      `SELECT server, seen_at FROM nonce_user
       WHERE relayer_id <> $1 AND server <> $2 AND seen_at > now() - make_interval(secs => $3)
       ORDER BY seen_at DESC LIMIT 1`,
      [relayerId, own, aliveSeconds],
    );
    return rows[0] && { server: rows[0].server, seenAt: rows[0].seen_at };
  }

  async function claimIn(tx: Queryable, store: StoreIdentity): Promise<Claim | { holder: StoreHolder }> {
    await tx.query('INSERT INTO nonce_epoch (identity) VALUES ($1) ON CONFLICT DO NOTHING', [store.identity]);
    const { rows } = await tx.query<Row>(
      'SELECT identity, version, accepts_after, signed_until FROM nonce_epoch FOR UPDATE',
    );
    const known = rows[0]!;
    const isSame = known.identity === store.identity;
    // The previous version stored only the Redis run id
    const isUpgrade = known.identity === store.server;
    const holder = isShared && !isSame && !isUpgrade ? await otherUser(tx, store.server) : undefined;
    if (isShared) await show(tx, holder ? null : store.server);
    if (holder) return { holder };
    const changed = !isSame && !isUpgrade;
    const acceptsAfter = changed ? Math.max(known.accepts_after, known.signed_until) : known.accepts_after;
    const version = known.version + (changed ? 1 : 0);
    if (!isSame)
      await tx.query('UPDATE nonce_epoch SET identity = $1, version = $2, accepts_after = $3', [
        store.identity,
        version,
        acceptsAfter,
      ]);
    return { ...store, version, acceptsAfter, covered: acceptsAfter, changed };
  }

  return {
    async claim(store) {
      const result = await db.transaction((tx) => claimIn(tx, store));
      server = 'holder' in result ? null : store.server;
      return result;
    },
    async cover(claim, signedAt) {
      const { rows } = await db.query<{ latest: number; covered: number | null }>(
        `WITH bound AS (SELECT floor(extract(epoch FROM now()))::bigint + $3::bigint AS latest),
         written AS (
           UPDATE nonce_epoch SET signed_until = greatest(signed_until, least($2::bigint + $4::bigint, latest))
           FROM bound WHERE version = $1 AND $2::bigint <= latest
           RETURNING least($2::bigint + $4::bigint, latest) AS covered
         )
         SELECT latest, (SELECT covered FROM written) FROM bound`,
        [claim.version, signedAt, maxAheadSeconds, coverAheadSeconds],
      );
      const { latest, covered } = rows[0]!;
      if (signedAt > latest) return 'ahead';
      if (covered === null) return 'changed';
      claim.covered = Math.max(claim.covered, covered);
      return 'covered';
    },
    leave() {
      server = null;
    },
    async close() {
      clearInterval(heartbeat);
      if (!isShared) return;
      // Also deletes relayers that were killed
      await db
        .query("DELETE FROM nonce_user WHERE relayer_id = $1 OR seen_at < now() - interval '1 day'", [
          relayerId,
        ])
        .catch((error: unknown) => log.warn({ err: error }, 'cannot delete the heartbeat of this relayer'));
    },
  };
}
