import type { Logger } from 'pino';
import { createMemoryBuckets } from '../api/limits/memory-buckets.ts';
import { createRedisBuckets } from '../api/limits/redis-buckets.ts';
import { createRequestLimits, type RequestLimits } from '../api/limits/request-limits.ts';
import type { Config } from '../config/config.ts';
import type { CloseStack } from './close-stack.ts';

/** Creates the limits on requests of keys and owners, counted in Redis, or in this process without one. */
export function createLimitParts(
  opened: CloseStack,
  { redisUrl: url, requestLimits }: Pick<Config, 'redisUrl' | 'requestLimits'>,
  log: Logger,
): RequestLimits {
  const isLimited = Object.values(requestLimits).some(Number.isFinite);
  const buckets = url && isLimited ? opened.add(createRedisBuckets({ url, log })) : createMemoryBuckets();
  return createRequestLimits(requestLimits, buckets);
}
