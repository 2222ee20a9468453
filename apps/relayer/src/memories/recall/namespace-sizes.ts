import type { Db } from '../../base/db/db.ts';
import { createGrowingCache } from '../../base/growing-cache.ts';
import { readCohesion } from '../rows/context-rows.ts';
import { type NamespaceSize, readNamespaceSize } from '../rows/search-rows.ts';
import { isCohesive, leastPairs } from './context.ts';

/** The size of a namespace, cached for a few seconds. It decides how to search, not what is found. */
export interface NamespaceSizes {
  /** Whether memories stored one after the other belong together; learnt from the newest, and cached for minutes */
  isCohesive(accountId: Buffer, namespace: string, model: string): Promise<boolean>;
  sizeOf(accountId: Buffer, namespace: string, model: string): Promise<NamespaceSize>;
  /** Drops the cached size after a large change */
  forget(accountId: Buffer, namespace: string, model: string): void;
}

const keptMs = 5_000;
/** Counting takes longer in a large namespace, and a small error matters less. */
const many = 4_000;
const manyKeptMs = 60_000;
const cohesionKeptMs = 10 * 60_000;
/** Common words stay common */
const commonKeptMs = 10 * 60_000;

export function createNamespaceSizes(db: Db): NamespaceSizes {
  const sizes = createGrowingCache<NamespaceSize>(50_000, keptMs);
  const common = createGrowingCache<Map<bigint, number>>(2_000, commonKeptMs);
  const cohesion = createGrowingCache<{ isCohesive: boolean }>(50_000, cohesionKeptMs);
  const keyOf = (accountId: Buffer, namespace: string, model: string): string =>
    `${accountId.toString('base64')}/${model}/${namespace}`;
  return {
    forget(accountId, namespace, model) {
      sizes.delete(keyOf(accountId, namespace, model));
    },
    async isCohesive(accountId, namespace, model) {
      const key = keyOf(accountId, namespace, model);
      const known = cohesion.get(key);
      if (known) return known.isCohesive;
      const read = await readCohesion(db, accountId, namespace, model);
      const result = { isCohesive: isCohesive(read) };
      // A small namespace soon has enough memories to tell
      cohesion.set(key, result, { ttl: read.far.pairs < leastPairs ? manyKeptMs : cohesionKeptMs });
      return result.isCohesive;
    },
    async sizeOf(accountId, namespace, model) {
      const key = keyOf(accountId, namespace, model);
      const known = sizes.get(key);
      if (known) return known;
      const commonTokens = common.get(key) ?? new Map<bigint, number>();
      if (!common.has(key)) common.set(key, commonTokens);
      const size = { ...(await readNamespaceSize(db, accountId, namespace, model)), commonTokens };
      sizes.set(key, size, { ttl: size.texts < many ? keptMs : manyKeptMs });
      return size;
    },
  };
}
