import { LRUCache } from 'lru-cache';
import type { Db } from '../db/db.ts';
import { countVectors } from './search.ts';

/** How many vectors a namespace has, up to where the way to search it changes; remembered for a few seconds. */
export interface VectorCounts {
  countOf(accountId: Buffer, namespace: string, model: string): Promise<number>;
}

export function createVectorCounts(db: Db): VectorCounts {
  const counts = new LRUCache<string, number>({ max: 50_000, ttl: 5_000 });
  return {
    async countOf(accountId, namespace, model) {
      const key = `${accountId.toString('base64')}/${model}/${namespace}`;
      const known = counts.get(key);
      if (known !== undefined) return known;
      const count = await countVectors(db, accountId, namespace, model);
      counts.set(key, count);
      return count;
    },
  };
}
