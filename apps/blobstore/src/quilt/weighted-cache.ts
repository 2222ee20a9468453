import { LRUCache } from 'lru-cache';

/**
 * Caches values that are expensive to create. Drops the least recently used ones when their total weight exceeds
 * the capacity.
 */
export interface WeightedCache<V extends { weight: number }> {
  /**
   * The cached value of a key, or a new one from `make`. Concurrent calls share one `make`; failures are not cached.
   */
  get(key: string, make: () => Promise<V>): Promise<V>;
}

export function createWeightedCache<V extends { weight: number }>(capacity: number): WeightedCache<V> {
  const cached = new LRUCache<string, V>({ maxSize: capacity, sizeCalculation: ({ weight }) => weight });
  const underway = new Map<string, Promise<V>>();

  return {
    async get(key, make) {
      const value = cached.get(key);
      if (value !== undefined) return value;
      let making = underway.get(key);
      if (making === undefined) {
        making = make().finally(() => underway.delete(key));
        underway.set(key, making);
        cached.set(key, await making);
      }
      return making;
    },
  };
}
