import type { Logger } from 'pino';
import { createMemoryBuckets } from '../api/limits/memory-buckets.ts';
import { createRequestLimits, type RequestLimits } from '../api/limits/request-limits.ts';
import type { Config } from '../config/config.ts';
import type { CloseStack } from './close-stack.ts';

/** Creates the limits on requests of keys and owners, counted in Redis, or in this process without one. */
export async function createLimitParts(
  opened: CloseStack,
  { redisUrl: url, requestLimits }: Pick<Config, 'redisUrl' | 'requestLimits'>,
  log: Logger,
): Promise<RequestLimits> {
  const isLimited = Object.values(requestLimits).some(Number.isFinite);
  if (!url || !isLimited) return createRequestLimits(requestLimits, createMemoryBuckets());
  const { createRedisBuckets } = await import('../api/limits/redis-buckets.ts');
  return createRequestLimits(requestLimits, opened.add(createRedisBuckets({ url, log })));
}
