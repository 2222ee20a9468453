import { Piscina } from 'piscina';
import { createWeightedCache, type WeightedCache } from '../quilt/weighted-cache.ts';
import type { Storage, StoredBlob } from '../storage/storage.ts';
import { sliverShape } from './sliver-wire.ts';
import type { DecodeTask, EncodeTask } from './sliver-worker.ts';

/** Slivers of stored blobs. The store keeps content only, so they are encoded when a client reads them. */
export interface SliverSource {
  /** The hashes of all slivers of a blob, as its metadata lists them. */
  hashes(blob: StoredBlob): Promise<Uint8Array>;
  /** The primary sliver of a pair in BCS. */
  primary(blob: StoredBlob, pair: number): Promise<Uint8Array>;
  /** Decodes the content of a blob from enough of its primary slivers. */
  decode(task: Omit<DecodeTask, 'nShards'>): Promise<Uint8Array>;
  close(): Promise<void>;
}

interface Weighed {
  bytes: Uint8Array;
  weight: number;
}

/** Large enough for the primary slivers of the largest blob, which are three times its size. */
const cacheBytes = 96 * 2 ** 20;
/** Largest blob whose slivers are encoded or assembled here, in bytes */
export const maxSliverBlobBytes = 24 * 2 ** 20;
/** How long unread slivers stay cached, in milliseconds. A reader requests all slivers of a blob at once. */
const idleMs = 60_000;

export function createSliverSource(storage: Storage, nShards: number): SliverSource {
  const pool = new Piscina({
    filename: new URL('./sliver-worker.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: idleMs,
  });
  let cache: WeightedCache<Weighed> = createWeightedCache(cacheBytes);
  let idle: NodeJS.Timeout | undefined;

  async function cached(key: string, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
    clearTimeout(idle);
    idle = setTimeout(() => {
      cache = createWeightedCache(cacheBytes);
    }, idleMs).unref();
    const { bytes } = await cache.get(key, async () => {
      const made = await make();
      return { bytes: made, weight: made.byteLength };
    });
    return bytes;
  }

  const run = (name: string, blob: StoredBlob) =>
    storage.withFile(blob, (path): Promise<Uint8Array> => {
      const task: EncodeTask = { path, nShards };
      return pool.run(task, { name });
    });

  return {
    hashes: (blob) => cached(`hashes ${blob.blobId}`, () => run('hashes', blob)),

    async primary(blob, pair) {
      const all = await cached(`slivers ${blob.blobId}`, () => run('encode', blob));
      const { totalBytes } = sliverShape('primary', blob.size, nShards);
      return all.subarray(pair * totalBytes, (pair + 1) * totalBytes);
    },

    decode: (task) => pool.run({ ...task, nShards } satisfies DecodeTask, { name: 'decode' }),

    async close() {
      clearTimeout(idle);
      await pool.close({ force: true });
    },
  };
}
