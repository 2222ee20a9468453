import { maxEnvelopeLength } from '@memrelay/envelope/header';
import type { Loggers } from '../base/logging/loggers.ts';
import { lookupsOf, type Metrics } from '../base/metrics/metrics.ts';
import { createAggregatorReader } from '../blobs/aggregator-reads.ts';
import { type BlobCache, createMemoryBlobCache, createNearBlobCache } from '../blobs/blob-cache.ts';
import { createCountedBlobCache } from '../blobs/counted-blob-cache.ts';
import type { Config } from '../config/config.ts';
import type { CloseStack } from './close-stack.ts';

/** Creates the aggregator reader and the blob cache, in Redis and this process, or only in this process. */
export async function createBlobParts(
  opened: CloseStack,
  config: Pick<Config, 'redisUrl' | 'blobCache' | 'aggregators'>,
  loggers: Loggers,
  metrics: Metrics,
) {
  const cache = opened.add(await createBlobCache(config, loggers));
  return {
    blobCache: createCountedBlobCache(cache, lookupsOf(metrics, 'blob')),
    aggregators: opened.add(
      createAggregatorReader({ ...config.aggregators, maxBytes: maxEnvelopeLength, log: loggers.blobs }),
    ),
  };
}

/** The client of Redis is loaded only if it is used: it takes 6 MB. */
async function createBlobCache(
  { redisUrl, blobCache: limits }: Pick<Config, 'redisUrl' | 'blobCache'>,
  loggers: Loggers,
): Promise<BlobCache> {
  if (!redisUrl) return createMemoryBlobCache(limits);
  const { createRedisBlobCache } = await import('../blobs/redis-blob-cache.ts');
  return createNearBlobCache(createRedisBlobCache(redisUrl, limits, loggers.blobs), limits);
}
