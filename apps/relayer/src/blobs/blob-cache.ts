import { LRUCache } from 'lru-cache';

/** Ciphertext by blob id. A blob never changes, so an entry never becomes outdated. */
export interface BlobCache {
  /** One entry per id, in order; all undefined if the cache is unreachable. */
  getMany(blobIds: readonly string[]): Promise<(Buffer | undefined)[]>;
  set(blobId: string, bytes: Uint8Array): Promise<void>;
  /** Throws if the cache is unreachable. */
  delete(blobIds: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export interface BlobCacheLimits {
  /** Lifetime of an entry in seconds; 0 disables the cache */
  ttlSeconds: number;
  /** Larger blobs are not cached; 0 disables the cache */
  maxBlobBytes: number;
}

/** Stores nothing. */
export const noCache: BlobCache = {
  getMany: async (blobIds) => blobIds.map(() => undefined),
  set: async () => undefined,
  delete: async () => undefined,
  close: async () => undefined,
};

/** In this process's memory, bounded to `totalBytes`. */
export function createMemoryBlobCache(limits: BlobCacheLimits, totalBytes = 64 * 1024 * 1024): BlobCache {
  if (limits.ttlSeconds === 0 || limits.maxBlobBytes === 0) return noCache;
  const entries = new LRUCache<string, Buffer>({
    maxSize: totalBytes,
    // lru-cache rejects a size of 0
    sizeCalculation: (bytes) => bytes.byteLength + 1,
    ttl: limits.ttlSeconds * 1000,
  });
  return {
    getMany: async (blobIds) => blobIds.map((blobId) => entries.get(blobId)),
    async set(blobId, bytes) {
      if (bytes.byteLength <= limits.maxBlobBytes) entries.set(blobId, Buffer.from(bytes));
    },
    async delete(blobIds) {
      for (const blobId of blobIds) entries.delete(blobId);
    },
    close: async () => entries.clear(),
  };
}

/** How long a relayer may keep ciphertext that another one has deleted */
const nearTtlSeconds = 60;
const nearBytes = 16 * 1024 * 1024;

/** What was read or written in the last minute is kept in this process too, so that most reads do not ask `shared`. */
export function createNearBlobCache(shared: BlobCache, limits: BlobCacheLimits): BlobCache {
  const ttlSeconds = Math.min(limits.ttlSeconds, nearTtlSeconds);
  const near = createMemoryBlobCache({ ...limits, ttlSeconds }, nearBytes);
  return {
    async getMany(blobIds) {
      const found = await near.getMany(blobIds);
      const missing = blobIds.filter((_, i) => found[i] === undefined);
      if (missing.length === 0) return found;
      const read = new Map<string, Buffer>();
      for (const [i, bytes] of (await shared.getMany(missing)).entries())
        if (bytes) {
          read.set(missing[i]!, bytes);
          await near.set(missing[i]!, bytes);
        }
      return blobIds.map((blobId, i) => found[i] ?? read.get(blobId));
    },
    async set(blobId, bytes) {
      await near.set(blobId, bytes);
      await shared.set(blobId, bytes);
    },
    async delete(blobIds) {
      await near.delete(blobIds);
      await shared.delete(blobIds);
    },
    async close() {
      await near.close();
      await shared.close();
    },
  };
}
