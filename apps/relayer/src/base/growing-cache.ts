import { LRUCache } from 'lru-cache';

/**
 * The `max` most recently used entries. With its own `max`, LRUCache allocates the memory of all entries at once: a megabyte
 * for 50,000, on a server that may have ten clients.
 */
export function createGrowingCache<V extends {}>(max: number, ttlMs = 0): LRUCache<string, V> {
  return new LRUCache({ maxSize: max, sizeCalculation: () => 1, ttl: ttlMs });
}
