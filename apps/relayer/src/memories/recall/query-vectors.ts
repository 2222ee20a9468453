import { createHash } from 'node:crypto';
import { ApiError } from '@memrelay/protocol/errors';
import { LRUCache } from 'lru-cache';
import { hexToBytes } from '../../base/db/hex.ts';
import type { CountLookup } from '../../base/metrics/metrics.ts';
import { type Embedder, EmbeddingError } from '../../index/embedding/embedder.ts';

/** Caches vectors of recent queries: agents repeat questions, and a provider call takes 100 ms or more. */
export interface QueryVectors {
  /** Throws `ApiError('embedding_unavailable')`. */
  vectorOf(accountId: string, query: string): Promise<Float32Array>;
}

/**
 * Keeps only the digest of a query, for `ttlSeconds`; 0 keeps nothing. Each account has its own entries, so that
 * response times do not show one account what another asked.
 */
export function createQueryVectors(
  embedder: Embedder,
  ttlSeconds: number,
  count: CountLookup = () => undefined,
): QueryVectors {
  const cache = new LRUCache<string, Promise<Float32Array>>({
    max: 2_000,
    ttl: Math.max(1, ttlSeconds) * 1000,
  });
  return {
    vectorOf(accountId, query) {
      const key = createHash('sha256').update(`${accountId}\n${query}`).digest('base64');
      const known = ttlSeconds > 0 ? cache.get(key) : undefined;
      if (ttlSeconds > 0) count(known !== undefined);
      if (known) return known;
      const vector = embedder.embed([query], [hexToBytes(accountId)], { as: 'query' }).then(
        ([only]) => only!,
        (error: unknown) => {
          cache.delete(key);
          if (error instanceof EmbeddingError) throw new ApiError('embedding_unavailable', { cause: error });
          throw error;
        },
      );
      if (ttlSeconds > 0) cache.set(key, vector);
      return vector;
    },
  };
}
