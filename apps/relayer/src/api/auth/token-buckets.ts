import { createGrowingCache } from '../../base/growing-cache.ts';

export interface BucketSize {
  /** Tokens of a full bucket */
  burst: number;
  /** Tokens added per second */
  perSecond: number;
}

/** A token bucket per key, full at first. Keeps a limited number of keys and drops the least recently used. */
export interface TokenBuckets {
  /** Takes the tokens and returns 0, or takes nothing and returns the seconds until there will be enough. */
  take(key: string, tokens: number): number;
  giveBack(key: string, tokens: number): void;
}

export function createTokenBuckets(
  { burst, perSecond }: BucketSize,
  maxKeys: number,
  now: () => number,
): TokenBuckets {
  const buckets = createGrowingCache<{ tokens: number; atMs: number }>(maxKeys);
  function bucketOf(key: string) {
    const nowMs = now();
    const bucket = buckets.get(key) ?? { tokens: burst, atMs: nowMs };
    bucket.tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.atMs) / 1000) * perSecond);
    bucket.atMs = nowMs;
    buckets.set(key, bucket);
    return bucket;
  }
  return {
    take(key, tokens) {
      const bucket = bucketOf(key);
      if (bucket.tokens < tokens) return (tokens - bucket.tokens) / perSecond;
      bucket.tokens -= tokens;
      return 0;
    },
    giveBack(key, tokens) {
      const bucket = bucketOf(key);
      bucket.tokens = Math.min(burst, bucket.tokens + tokens);
    },
  };
}
