import { createGrowingCache } from '../../base/growing-cache.ts';
import { type Bucket, type Buckets, roundingMicros, stateOf } from './buckets.ts';

/** The least recently used buckets above this are dropped, and are full when they are used again. */
const maxBuckets = 100_000;

/** Buckets of this process. `now`: a monotonic clock in ms. */
export function createMemoryBuckets(now: () => number = () => performance.now()): Buckets {
  /** When each bucket is full again, in microseconds */
  const fullAt = createGrowingCache<number>(maxBuckets);
  return {
    async take(buckets, cost, forced = false) {
      const nowMicros = now() * 1000;
      const missing = buckets.map(({ key }) => Math.max(0, (fullAt.get(key) ?? 0) - nowMicros));
      const micros = ({ units, seconds }: Bucket): number => (cost * seconds * 1_000_000) / units;
      const isTaken =
        forced ||
        buckets.every(
          (bucket, i) => missing[i]! + micros(bucket) <= bucket.seconds * 1_000_000 + roundingMicros,
        );
      if (isTaken)
        for (const [i, bucket] of buckets.entries())
          fullAt.set(bucket.key, nowMicros + missing[i]! + micros(bucket));
      return buckets.map((bucket, i) => stateOf(bucket, missing[i]!, cost, isTaken));
    },
  };
}
