import type { Db } from '../../base/db/db.ts';
import { createGrowingCache } from '../../base/growing-cache.ts';
import { type NamespaceSize, readNamespaceSize } from '../rows/search-rows.ts';

/** The size of a namespace, cached for a few seconds. It decides how to search, not what is found. */
export interface NamespaceSizes {
  sizeOf(accountId: Buffer, namespace: string, model: string): Promise<NamespaceSize>;
  /** Drops the cached size after a large change */
  forget(accountId: Buffer, namespace: string, model: string): void;
}

const keptMs = 5_000;
/** Counting takes longer in a large namespace, and a small error matters less. */
const many = 4_000;
const manyKeptMs = 60_000;

export function createNamespaceSizes(db: Db): NamespaceSizes {
  const sizes = createGrowingCache<NamespaceSize>(50_000, keptMs);
  const keyOf = (accountId: Buffer, namespace: string, model: string): string =>
    `${accountId.toString('base64')}/${model}/${namespace}`;
  return {
    forget(accountId, namespace, model) {
      sizes.delete(keyOf(accountId, namespace, model));
    },
    async sizeOf(accountId, namespace, model) {
      const key = keyOf(accountId, namespace, model);
      const known = sizes.get(key);
      if (known) return known;
      const size = await readNamespaceSize(db, accountId, namespace, model);
      sizes.set(key, size, { ttl: size.texts < many ? keptMs : manyKeptMs });
      return size;
    },
  };
}
