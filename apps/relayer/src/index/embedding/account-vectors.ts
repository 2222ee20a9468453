import { hkdfSync } from 'node:crypto';
import { createVectorMap, type VectorMap } from '@memrelay/text-index/vector-map';
import { LRUCache } from 'lru-cache';

/** Stored with every vector that the account's map was applied to. */
export const vectorKeyId = 1;

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
      const made = accountMap(deriveKey(accountId), dimension);
      maps.set(id, made);
      return made;
    },
  };
}

/** The map of an account with this 32-byte key. */
export function accountMap(key: Uint8Array, dimension: number): VectorMap {
  return createVectorMap(
    (of, info, length) => new Uint8Array(hkdfSync('sha256', of, '', info, length)),
    key,
    dimension,
  );
}
