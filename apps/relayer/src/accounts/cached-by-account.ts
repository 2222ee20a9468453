import { LRUCache } from 'lru-cache';

/** What was read of an account, for a few seconds. */
export interface CachedByAccount<T> {
  of(accountId: Buffer): Promise<T>;
  /** The next one to ask reads again */
  refresh(accountId: Buffer): void;
}

const ttlMs = 5_000;

/** One read under way for each account; one that failed is not remembered. */
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
