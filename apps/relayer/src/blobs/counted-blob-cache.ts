import type { CountLookup } from '../base/metrics/metrics.ts';
import type { BlobCache } from './blob-cache.ts';

/** The cache, with each blob that is looked for counted as found or not. */
export function createCountedBlobCache(cache: BlobCache, count: CountLookup): BlobCache {
  return {
    ...cache,
    async getMany(blobIds) {
      const found = await cache.getMany(blobIds);
      for (const bytes of found) count(bytes !== undefined);
      return found;
    },
  };
}
