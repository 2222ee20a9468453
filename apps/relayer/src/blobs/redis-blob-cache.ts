import { createClient, RESP_TYPES } from '@redis/client';
import type { Logger } from 'pino';
import { inTime } from '../base/redis/in-time.ts';
import { type BlobCache, type BlobCacheLimits, noCache } from './blob-cache.ts';

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
