import { createClient, RESP_TYPES } from '@redis/client';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { inTime } from '../base/redis/in-time.ts';

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

const noCache: BlobCache = {
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

/** A slower cache is worse than none: an aggregator responds in about this time. */
const commandTimeoutMs = 500;

/**
 * In Redis, shared by all relayers. The nonces are on the same server, which therefore never evicts (see
 * redis-nonces.ts) and needs free memory for them: nothing is cached while Redis is nearly full. Failures count as
 * misses: reads do not wait for a Redis that is down or hangs.
 */
export function createRedisBlobCache(url: string, limits: BlobCacheLimits, log: Logger): BlobCache {
  if (limits.ttlSeconds === 0 || limits.maxBlobBytes === 0) return noCache;
  let away = false;
  const client = createClient({
    url,
    disableOfflineQueue: true,
    commandsQueueMaxLength: 1_000,
    socket: { connectTimeout: 2_000 },
  })
    .on('error', (error: Error) => {
      if (!away) log.warn({ err: error }, 'the blob cache is not connected');
      away = true;
    })
    .on('ready', () => {
      away = false;
    })
    .withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
  // Rejects only when the client is closed before it ever connected
  client.connect().catch(() => undefined);
  const key = (blobId: string) => `memrelay:blob:v1:${blobId}`;
  const hasRoom = roomWatch(async () => String(await inTime(client.info('memory'), commandTimeoutMs)));
  return {
    async getMany(blobIds) {
      if (blobIds.length === 0) return [];
      try {
        const found = (await inTime(client.mGet(blobIds.map(key)), commandTimeoutMs)) as (Buffer | null)[];
        return found.map((bytes) => bytes ?? undefined);
      } catch {
        return blobIds.map(() => undefined);
      }
    },
    async set(blobId, bytes) {
      if (bytes.byteLength > limits.maxBlobBytes || !(await hasRoom())) return;
      const expiration = { type: 'EX', value: limits.ttlSeconds } as const;
      await inTime(client.set(key(blobId), Buffer.from(bytes), { expiration }), commandTimeoutMs).catch(
        () => undefined,
      );
    },
    async delete(blobIds) {
      if (blobIds.length > 0) await inTime(client.del(blobIds.map(key)), commandTimeoutMs);
    },
    close: async () => client.destroy(),
  };
}

/** Nothing is cached above this share of Redis' `maxmemory`; the rest is reserved for nonces. */
const blobShare = 0.7;
const roomCheckMs = 5_000;

/** Asks Redis at most every few seconds whether it has room for blobs. False if Redis cannot be asked. */
export function roomWatch(
  readMemoryInfo: () => Promise<string>,
  now = () => performance.now(),
): () => Promise<boolean> {
  let known: { room: Promise<boolean>; atMs: number } | undefined;
  return () => {
    if (!known || now() - known.atMs > roomCheckMs) {
      const room = readMemoryInfo().then(
        (info) => {
          const field = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
          const most = field('maxmemory');
          return most === 0 || field('used_memory') < most * blobShare;
        },
        () => {
          known = undefined;
          return false;
        },
      );
      known = { room, atMs: now() };
    }
    return known.room;
  };
}
