import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ConfigError } from '../../base/config/config-error.ts';
import type { Db } from '../../base/db/db.ts';
import { createTableNonces } from '../rows/table-nonces.ts';
import type { NonceStore } from './nonce-store.ts';

/**
 * Uses Redis if a URL is configured, else a database table. Throws `ConfigError` if running relayers on this database
 * use another store.
 */
export async function createNonceStore(options: {
  redisUrl: string | undefined;
  db: Db;
  log: Logger;
}): Promise<NonceStore> {
  const { redisUrl, db, log } = options;
  const store = redisUrl
    ? (await import('./redis-nonces.ts')).createRedisNonces({ url: redisUrl, db, log })
    : createTableNonces({ db, log });
  try {
    await waitBriefly(() => store.health().ok || store.holder() !== undefined);
    await refuseOtherStore(store, redisUrl !== undefined);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** A killed relayer seems alive for 15 seconds. If it sends a heartbeat in that time, it is running. */
async function refuseOtherStore(store: NonceStore, usesRedis: boolean): Promise<void> {
  const first = store.holder();
  for (let other = first; other; other = store.holder()) {
    if (other.server !== first!.server || other.seenAt > first!.seenAt)
      throw new ConfigError([otherStoreProblem(other.server === 'table', usesRedis)]);
    await setTimeout(250);
  }
}

function otherStoreProblem(othersUseTable: boolean, usesRedis: boolean): string {
  const theirs = othersUseTable
    ? 'keep their nonces in the database'
    : `keep their nonces in ${usesRedis ? 'another Redis' : 'Redis'}`;
  const remedy = othersUseTable ? 'unset it here' : 'set it to the same Redis here';
  return `REDIS_URL: other running relayers on this database ${theirs}, and all must use the same store: ${remedy}, or stop the others before starting this one`;
}

/**
 * A reachable store connects within milliseconds, and should be connected before the first request. An unreachable one
 * must not delay the start.
 */
async function waitBriefly(isReady: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 2_000; !isReady() && Date.now() < deadline; ) await setTimeout(20);
}
