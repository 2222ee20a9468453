import type { Logger } from 'pino';
import type { Db } from '../db/db.ts';
import type { NonceStore } from './nonce-store.ts';
import { createRedisNonces } from './redis-nonces.ts';
import { createTableNonces } from './table-nonces.ts';

/** Redis when a URL is configured, else a table of the database. */
export async function createNonceStore(options: {
  redisUrl: string | undefined;
  db: Db;
  log: Logger;
}): Promise<NonceStore> {
  const { redisUrl, db, log } = options;
  return redisUrl ? createRedisNonces({ url: redisUrl, db, log }) : createTableNonces({ db, log });
}
