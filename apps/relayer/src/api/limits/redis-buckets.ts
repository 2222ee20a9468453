import { createClient, defineScript } from '@redis/client';
import type { Logger } from 'pino';
import { inTime } from '../../base/redis/in-time.ts';
import { reconnectDelay } from '../../base/redis/reconnect-delay.ts';
import { type Bucket, type Buckets, roundingMicros, stateOf } from './buckets.ts';
import { createMemoryBuckets } from './memory-buckets.ts';

export interface RedisBucketsOptions {
  url: string;
  log: Logger;
  /** How long one command may take; default 500 ms */
  timeoutMs?: number;
}

const keyPrefix = 'memrelay:bucket:';

/**
 * `stateOf` and `createMemoryBuckets` in Redis, with its clock: 1 or 0 for taken or refused, then how far each bucket
 * was from full, in microseconds. Numbers are formatted because Lua would shorten them to 14 digits.
 */
const takeScript = defineScript({
  SCRIPT: `
    local time = redis.call('TIME')
    local now = time[1] * 1000000 + time[2]
    local cost, forced = tonumber(ARGV[1]), ARGV[2] == '1'
    local missing, wanted, taken = {}, {}, true
    for i, key in ipairs(KEYS) do
      local units, window = tonumber(ARGV[2 * i + 1]), ARGV[2 * i + 2] * 1000000
      missing[i] = math.max(0, (tonumber(redis.call('GET', key)) or 0) - now)
      wanted[i] = missing[i] + cost * window / units
      if wanted[i] > window + ${roundingMicros} then taken = false end
    end
    local reply = { taken and 1 or 0 }
    for i, key in ipairs(KEYS) do
      if taken or forced then
        redis.call('SET', key, string.format('%.0f', now + wanted[i]), 'PX', math.ceil(wanted[i] / 1000) + 1)
      end
      reply[i + 1] = math.floor(missing[i])
    end
    return reply`,
  parseCommand(parser, buckets: readonly Bucket[], cost: number, forced: boolean) {
    parser.pushKeysLength(buckets.map(({ key }) => keyPrefix + key));
    parser.push(String(cost), forced ? '1' : '0');
    for (const { units, seconds } of buckets) parser.push(String(units), String(seconds));
  },
  transformReply: (reply: number[]) => reply,
});

/**
 * Buckets that all relayers with this Redis share: one call of a script for all buckets of a request. While Redis does
 * not respond, each relayer counts separately: limits protect the service and must not stop it.
 */
export function createRedisBuckets(options: RedisBucketsOptions): Buckets & { close(): Promise<void> } {
  const { url, log, timeoutMs = 500 } = options;
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: { connectTimeout: 5_000, reconnectStrategy: reconnectDelay },
    scripts: { take: takeScript },
  });
  client.on('error', () => undefined);
  client.connect().catch(() => undefined);
  const inMemory = createMemoryBuckets();
  let isSeparate = false;

  function warn(error: unknown): void {
    if (isSeparate) return;
    isSeparate = true;
    log.warn({ err: error }, 'Redis does not respond: this relayer counts its request limits separately');
  }

  return {
    async take(buckets, cost, forced = false) {
      let reply: number[];
      try {
        reply = (await inTime(client.take(buckets, cost, forced), timeoutMs)) as number[];
      } catch (error) {
        warn(error);
        return inMemory.take(buckets, cost, forced);
      }
      isSeparate = false;
      const [taken, ...missing] = reply;
      return buckets.map((bucket, i) => stateOf(bucket, missing[i]!, cost, taken === 1 || forced));
    },
    async close() {
      client.destroy();
    },
  };
}
