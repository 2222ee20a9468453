import { maxEnvelopeLength } from '@memrelay/envelope/header';
import type { Loggers } from '../base/logging/loggers.ts';
import { lookupsOf, type Metrics } from '../base/metrics/metrics.ts';
import { createAggregatorReader } from '../blobs/aggregator-reads.ts';
import { createMemoryBlobCache, createNearBlobCache, createRedisBlobCache } from '../blobs/blob-cache.ts';
import { createCountedBlobCache } from '../blobs/counted-blob-cache.ts';
import type { Config } from '../config/config.ts';
import type { CloseStack } from './close-stack.ts';

/** Creates the aggregator reader and the blob cache, in Redis and this process, or only in this process. */
export function createBlobParts(
  opened: CloseStack,
  config: Pick<Config, 'redisUrl' | 'blobCache' | 'aggregators'>,
  loggers: Loggers,
  metrics: Metrics,
) {
  const { redisUrl } = config;
  const cache = opened.add(
    redisUrl
      ? createNearBlobCache(createRedisBlobCache(redisUrl, config.blobCache, loggers.blobs), config.blobCache)
      : createMemoryBlobCache(config.blobCache),
  );
  return {
    blobCache: createCountedBlobCache(cache, lookupsOf(metrics, 'blob')),
    aggregators: opened.add(
      createAggregatorReader({ ...config.aggregators, maxBytes: maxEnvelopeLength, log: loggers.blobs }),
    ),
  };
}
