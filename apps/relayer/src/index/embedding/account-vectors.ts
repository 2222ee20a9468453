import { LRUCache } from 'lru-cache';
import { createVectorMap, type VectorMap } from './vector-map.ts';

/** The keyed map of each account, created on first use. */
export interface AccountVectors {
  mapOf(accountId: Buffer): VectorMap;
}

/** `deriveKey` gives the account's own 32-byte key from the index key. A map of 1536 dimensions takes 37 KB. */
export function createAccountVectors(
  dimension: number,
  deriveKey: (accountId: Buffer) => Buffer,
): AccountVectors {
  const maps = new LRUCache<string, VectorMap>({ max: 1_000 });
  return {
    mapOf(accountId) {
      const id = accountId.toString('hex');
      const known = maps.get(id);
      if (known) return known;
      const made = createVectorMap(deriveKey(accountId), dimension);
      maps.set(id, made);
      return made;
    },
  };
}
