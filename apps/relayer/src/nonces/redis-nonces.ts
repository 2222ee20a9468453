import { ApiError } from '@memrelay/protocol/errors';
import { createClient } from '@redis/client';
import type { Logger } from 'pino';
import type { Db } from '../db/db.ts';
import { inTime } from '../redis/in-time.ts';
import { reconnectDelay } from '../redis/reconnect-delay.ts';
import type { NonceStore } from './nonce-store.ts';
import { noteRun } from './redis-run.ts';

export interface RedisNoncesOptions {
  url: string;
  /** Keeps which run of the server was last seen */
  db: Db;
  log: Logger;
  /** Unix time in ms, instead of the database's */
  now?: () => number;
  /** How long one command may take; default 1000 ms */
  timeoutMs?: number;
}

const keyPrefix = Buffer.from('memrelay:nonce:');

/**
 * Nonces in Redis. After every (re)connect the server's run id is compared with the one last seen, before any nonce
 * is accepted again: another run has lost its nonces, so requests signed before it was seen are refused.
 * Returns at once; until the first connection is up everything is refused.
 */
export function createRedisNonces(options: RedisNoncesOptions): NonceStore {
  const { url, db, log, now, timeoutMs = 1_000 } = options;
  const client = createClient({
    url,
    // A queued command could reach a restarted server before its run id was looked at
    disableOfflineQueue: true,
    socket: { connectTimeout: 5_000, reconnectStrategy: reconnectDelay },
  });
  // Counts connections: an answer counts only when the connection it was asked on is still the checked one
  let connection = 0;
  let checked: { connection: number; acceptsFrom: number } | undefined;
  let problem: string | undefined = 'not connected';
  let retry: NodeJS.Timeout | undefined;
  let closed = false;

  function lost(error?: Error): void {
    connection += 1;
    checked = undefined;
    clearTimeout(retry);
    if (problem === undefined) log.warn({ err: error }, 'the nonce store is not connected');
    problem = 'not connected';
  }

  async function check(): Promise<void> {
    const own = connection;
    try {
      const info = await inTime(client.info(), timeoutMs);
      const eviction = evictionProblem(info);
      const { acceptsFrom, changed } = await noteRun(db, runIdOf(info), now?.());
      if (own !== connection) return;
      if (changed)
        log.warn({ acceptsFrom }, 'the nonce store has started anew: earlier requests are refused');
      if (eviction) log.error(eviction);
      checked = eviction ? undefined : { connection: own, acceptsFrom };
      problem = eviction;
    } catch (error) {
      if (own !== connection || closed) return;
      problem = 'the run of the nonce store cannot be checked';
      log.warn({ err: error }, problem);
    }
    // Also finds out when an operator has mended the eviction policy
    if (!checked && own === connection && !closed) retry = setTimeout(check, 1_000).unref();
  }

  client.on('ready', () => {
    connection += 1;
    check();
  });
  client.on('error', lost);
  client.on('reconnecting', () => lost());
  client.on('end', () => lost());
  // Rejects only when it is closed before it ever connected
  client.connect().catch(() => undefined);

  return {
    async remember(key, ttlSeconds) {
      const before = checked;
      if (!before) throw new ApiError('auth_unavailable');
      let reply: unknown;
      try {
        reply = await inTime(
          client.set(Buffer.concat([keyPrefix, key]), '1', {
            condition: 'NX',
            expiration: { type: 'EX', value: ttlSeconds },
          }),
          timeoutMs,
        );
      } catch (cause) {
        throw new ApiError('auth_unavailable', { cause });
      }
      if (checked !== before) throw new ApiError('auth_unavailable');
      return reply === null ? 'seen' : 'fresh';
    },
    acceptsFrom() {
      if (!checked) throw new ApiError('auth_unavailable');
      return checked.acceptsFrom;
    },
    health: () => (problem === undefined ? { ok: true } : { ok: false, detail: problem }),
    async close() {
      closed = true;
      clearTimeout(retry);
      client.removeAllListeners('end');
      client.destroy();
    },
  };
}

function runIdOf(info: string): string {
  const runId = infoField(info, 'run_id');
  if (!runId) throw new Error('INFO names no run_id');
  return runId;
}

/** An evicted nonce can be replayed, so a server that may evict is not used. */
function evictionProblem(info: string): string | undefined {
  const policy = infoField(info, 'maxmemory_policy');
  const limit = infoField(info, 'maxmemory');
  if (policy === 'noeviction' || limit === '0') return undefined;
  return 'the nonce store may evict nonces: set maxmemory-policy noeviction on a Redis of its own';
}

function infoField(info: string, name: string): string | undefined {
  const line = info.split('\r\n').find((entry) => entry.startsWith(`${name}:`));
  return line?.slice(name.length + 1);
}
