import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { createClient, RESP_TYPES } from 'redis';

/** Ciphertext by blob id: a blob never changes, so an entry is right for as long as it stays. */
export interface BlobCache {
  /** One entry per id, in order; a cache that cannot be reached has none of them. */
  getMany(blobIds: readonly string[]): Promise<(Buffer | undefined)[]>;
  set(blobId: string, bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

export interface BlobCacheLimits {
  /** Seconds an entry stays; 0 disables the cache */
  ttlSeconds: number;
  /** Larger blobs are not cached; 0 disables the cache */
  maxBlobBytes: number;
}

const noCache: BlobCache = {
  getMany: async (blobIds) => blobIds.map(() => undefined),
  set: async () => undefined,
  close: async () => undefined,
};

/** In this process's memory, bounded to `totalBytes`. */
export function createMemoryBlobCache(limits: BlobCacheLimits, totalBytes = 64 * 1024 * 1024): BlobCache {
  if (limits.ttlSeconds === 0 || limits.maxBlobBytes === 0) return noCache;
  const entries = new LRUCache<string, Buffer>({
    maxSize: totalBytes,
    sizeCalculation: (bytes) => bytes.byteLength,
    ttl: limits.ttlSeconds * 1000,
  });
  return {
    getMany: async (blobIds) => blobIds.map((blobId) => entries.get(blobId)),
    async set(blobId, bytes) {
      if (bytes.byteLength <= limits.maxBlobBytes) entries.set(blobId, Buffer.from(bytes));
    },
    close: async () => entries.clear(),
  };
}

/**
 * In Redis, shared by all relayers. Never the nonce store's database: this one may evict. Failures are logged and
 * count as a miss.
 */
export async function createRedisBlobCache(
  url: string,
  limits: BlobCacheLimits,
  log: Logger,
): Promise<BlobCache> {
  if (limits.ttlSeconds === 0 || limits.maxBlobBytes === 0) return noCache;
  const client = createClient({ url, disableOfflineQueue: true, socket: { connectTimeout: 2_000 } })
    .on('error', (error: Error) => log.warn({ err: error }, 'blob cache connection failed'))
    .withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
  await client.connect().catch((error: Error) => log.warn({ err: error }, 'blob cache cannot be reached'));
  const key = (blobId: string) => `memrelay:blob:v1:${blobId}`;
  return {
    async getMany(blobIds) {
      if (blobIds.length === 0) return [];
      try {
        const found = (await client.mGet(blobIds.map(key))) as (Buffer | null)[];
        return found.map((bytes) => bytes ?? undefined);
      } catch {
        return blobIds.map(() => undefined);
      }
    },
    async set(blobId, bytes) {
      if (bytes.byteLength > limits.maxBlobBytes) return;
      await client
        .set(key(blobId), Buffer.from(bytes), { expiration: { type: 'EX', value: limits.ttlSeconds } })
        .catch(() => undefined);
    },
    async close() {
      if (client.isOpen) await client.close();
    },
  };
}
