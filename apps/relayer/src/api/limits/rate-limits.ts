import { ApiError } from '@memrelay/protocol/errors';
import type { Logger } from 'pino';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { reconnectDelay } from '../../base/redis/reconnect-delay.ts';

export interface RateLimit {
  /** Counts one use by `key`. Throws `rate_limited` with the seconds until the next use is allowed. */
  take(key: string): Promise<void>;
}

export interface RateLimits {
  /** A limit of `points` uses in `seconds` per key. Relayers count together under the same name. */
  limit(name: string, points: number, seconds: number): RateLimit;
  close(): Promise<void>;
}

const keyPrefix = 'memrelay:limit';

/**
 * Counts in Redis, so that several relayers count together, or in memory when no Redis is configured. While Redis is
 * unreachable, each relayer counts separately: limits protect the service and must not stop it.
 */
export async function createRateLimits(redisUrl: string | undefined, log: Logger): Promise<RateLimits> {
  const client = redisUrl ? await connect(redisUrl, log) : undefined;

  function limiter(name: string, points: number, seconds: number): RateLimiterAbstract {
    const options = { keyPrefix: `${keyPrefix}:${name}`, points, duration: seconds };
    const inMemory = new RateLimiterMemory(options);
    if (!client) return inMemory;
    return new RateLimiterRedis({
      ...options,
      storeClient: client,
      useRedisPackage: true,
      insuranceLimiter: inMemory,
    });
  }

  return {
    limit(name, points, seconds) {
      const counted = limiter(name, points, seconds);
      return {
        async take(key) {
          try {
            await counted.consume(key);
          } catch (error) {
            if (!(error instanceof RateLimiterRes)) throw error;
            throw new ApiError('rate_limited', {
              retryAfter: Math.max(1, Math.ceil(error.msBeforeNext / 1000)),
            });
          }
        },
      };
    },
    async close() {
      client?.destroy();
    },
  };
}

async function connect(url: string, log: Logger) {
  const { createClient } = await import('@redis/client');
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: { reconnectStrategy: reconnectDelay },
  });
  client.on('error', (error: Error) =>
    log.debug({ err: error }, 'Redis is unreachable: counting rate limits in memory'),
  );
  void client.connect().catch(() => undefined);
  return client;
}
