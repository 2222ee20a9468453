import { LRUCache } from 'lru-cache';

/** Caches a value per account for a few seconds. */
export interface CachedByAccount<T> {
  of(accountId: Buffer): Promise<T>;
  /** Makes the next call read again */
  refresh(accountId: Buffer): void;
}

const ttlMs = 5_000;

/** Runs at most one read per account at a time. Failed reads are not cached. */
export function cachedByAccount<T>(read: (accountId: Buffer) => Promise<T>): CachedByAccount<T> {
  const cache = new LRUCache<string, Promise<T>>({ max: 20_000, ttl: ttlMs });
  return {
    of(accountId) {
      const key = accountId.toString('hex');
      const cached = cache.get(key);
      if (cached) return cached;
      const reading = read(accountId);
      cache.set(key, reading);
      reading.catch(() => cache.delete(key));
      return reading;
    },
    refresh(accountId) {
      cache.delete(accountId.toString('hex'));
    },
  };
}
