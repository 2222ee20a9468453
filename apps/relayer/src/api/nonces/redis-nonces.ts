import { randomUUID } from 'node:crypto';
import { createClient } from '@redis/client';
import type { Logger } from 'pino';
import { createGroups } from '../../base/concurrency/groups.ts';
import type { Db } from '../../base/db/db.ts';
import { inTime } from '../../base/redis/in-time.ts';
import { reconnectDelay } from '../../base/redis/reconnect-delay.ts';
import { createNonceEpoch, type StoreIdentity } from '../rows/nonce-epoch.ts';
import { createClaimedNonces, storeWindowSeconds } from './claimed-nonces.ts';
import type { NonceStore } from './nonce-store.ts';

export interface RedisNoncesOptions {
  url: string;
  /** Records which nonce store is in use */
  db: Db;
  log: Logger;
  /** Unix time in ms, for the waiting time reported to clients */
  now?: () => number;
  /** How long one command may take; default 1000 ms */
  timeoutMs?: number;
}

const keyPrefix = Buffer.from('memrelay:nonce:');
/** A random value without an expiry: if it is missing, the nonces may be lost too. */
const markKey = 'memrelay:nonce-epoch';

/** Nonces in one transaction */
const maxGroup = 128;

interface NewNonce {
  key: Buffer;
  ttlSeconds: number;
}

/** What a transaction found: which store it ran on, and whether a nonce was new there. */
interface Recorded {
  identity: string;
  /** Time of the store */
  unixTime: number;
  isNew: boolean;
}

/**
 * Nonces in Redis. Every event that loses nonces changes the identity of the store: a flush or an empty replica (the
 * mark is missing), a restart, another server or an older snapshot (another run id), an eviction (the eviction count).
 * The identity is read in the same transaction that records a nonce, so a nonce recorded after an unnoticed loss is not
 * accepted. Requests of one turn of the event loop share a transaction; if it fails, all of them are refused. Returns at once; every request is refused until the first connection is up.
 */
export function createRedisNonces(options: RedisNoncesOptions): NonceStore {
  const { url, db, log, now = Date.now, timeoutMs = 1_000 } = options;
  const client = createClient({
    url,
    // A queued command could reach a server whose identity was not checked
    disableOfflineQueue: true,
    socket: { connectTimeout: 5_000, reconnectStrategy: reconnectDelay },
  });
  const epoch = createNonceEpoch({ db, log });
  const identityFrom = (server: string, stats: string, mark: string | null): StoreIdentity =>
    identityOf(server, stats, mark, client.options?.database ?? 0);
  let connected = false;

  const recordInGroup = createGroups<NewNonce, Recorded>({ run: recordAll, maxItems: maxGroup });

  /** Records the nonces one after the other in one transaction, which also reads the time and the identity of the store. */
  async function recordAll(nonces: readonly NewNonce[]): Promise<Recorded[]> {
    const transaction = client.multi();
    for (const { key, ttlSeconds } of nonces)
      transaction.set(Buffer.concat([keyPrefix, key]), '1', {
        condition: 'NX',
        expiration: { type: 'EX', value: ttlSeconds },
      });
    transaction.time().get(markKey).info('server').info('stats');
    const replies: unknown[] = await inTime(transaction.exec(), timeoutMs);
    const [[unixTime], mark, server, stats] = replies.splice(nonces.length) as [
      [string],
      string | null,
      string,
      string,
    ];
    const { identity } = identityFrom(server, stats, mark);
    return replies.map((reply) => ({ identity, unixTime: Number(unixTime), isNew: reply !== null }));
  }

  const nonces = createClaimedNonces({
    epoch,
    async identify() {
      if (!connected) return { problem: 'not connected' };
      const [, mark, info] = await inTime(
        client.multi().set(markKey, randomUUID(), { condition: 'NX' }).get(markKey).info().exec<'typed'>(),
        timeoutMs,
      );
      const eviction = evictionProblem(info);
      if (eviction) log.error(eviction);
      return eviction ? { problem: eviction } : { store: identityFrom(info, info, mark) };
    },
    async record(claim, key, signedAt, ttlSeconds) {
      const { identity, unixTime, isNew } = await recordInGroup({ key, ttlSeconds });
      if (identity !== claim.identity) return 'changed';
      if (Math.abs(unixTime - signedAt) > storeWindowSeconds) return 'expired';
      return isNew ? 'fresh' : 'seen';
    },
    log,
    now,
  });

  function lost(error?: Error): void {
    if (connected) log.warn({ err: error }, 'the nonce store is not connected');
    connected = false;
    nonces.lose('not connected');
  }

  client.on('ready', () => {
    connected = true;
    void nonces.check();
  });
  client.on('error', lost);
  client.on('reconnecting', () => lost());
  client.on('end', () => lost());
  // Rejects only when the client is closed before it ever connected
  client.connect().catch(() => undefined);

  return {
    remember: nonces.remember,
    holder: nonces.holder,
    health: nonces.health,
    async close() {
      nonces.stop();
      client.removeAllListeners('end');
      client.destroy();
      await epoch.close();
    },
  };
}

/** `database`: each numbered database of a Redis server has its own keys, so each is a separate store. */
function identityOf(server: string, stats: string, mark: string | null, database: number): StoreIdentity {
  const runId = infoField(server, 'run_id');
  if (!runId) throw new Error('Redis INFO has no run_id');
  const evicted = infoField(stats, 'evicted_keys') ?? '0';
  return {
    identity: `redis/${runId}/${evicted}/${mark}`,
    server: `redis/${runId}${database === 0 ? '' : `/${database}`}`,
  };
}

/** A request whose nonce was evicted could be replayed, so a server that may evict keys is not used. */
function evictionProblem(info: string): string | undefined {
  const policy = infoField(info, 'maxmemory_policy');
  const limit = infoField(info, 'maxmemory');
  if (policy === 'noeviction' || limit === '0') return undefined;
  return 'the nonce store may evict nonces: use a separate Redis with maxmemory-policy noeviction';
}

function infoField(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1];
}
