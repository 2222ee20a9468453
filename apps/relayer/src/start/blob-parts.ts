import { maxEnvelopeLength } from '@memrelay/envelope/header';
import type { Loggers } from '../base/logging/loggers.ts';
import { createAggregatorReader } from '../blobs/aggregator-reads.ts';
import { createMemoryBlobCache, createNearBlobCache, createRedisBlobCache } from '../blobs/blob-cache.ts';
import type { Config } from '../config/config.ts';
import type { CloseStack } from './close-stack.ts';

/** Creates the aggregator reader and the blob cache, in Redis and this process, or only in this process. */
export function createBlobParts(
  opened: CloseStack,
  config: Pick<Config, 'redisUrl' | 'blobCache' | 'aggregators'>,
  loggers: Loggers,
) {
  const { redisUrl } = config;
  return {
    blobCache: opened.add(
      redisUrl
        ? createNearBlobCache(
            createRedisBlobCache(redisUrl, config.blobCache, loggers.blobs),
            config.blobCache,
          )
        : createMemoryBlobCache(config.blobCache),
    ),
    aggregators: opened.add(
      createAggregatorReader({ ...config.aggregators, maxBytes: maxEnvelopeLength, log: loggers.blobs }),
    ),
  };
}
