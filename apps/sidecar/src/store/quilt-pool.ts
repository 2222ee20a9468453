import type { Logger } from 'pino';
import { WorkerPool } from '../base/worker-pool.ts';
import { type EncodedQuilt, encodeFiles, type QuiltFile } from './quilt-encoding.ts';

/** Packs quilts: small ones synchronously, larger ones in a worker thread that starts when it is first needed. */
export interface QuiltPool {
  /** Throws if the files do not fit into a quilt. */
  encode(files: readonly QuiltFile[]): Promise<EncodedQuilt>;
  close(): Promise<void>;
}

/** Packing up to this size takes about 2 ms. With 1000 shards even the smallest quilt is larger. */
const quickBytes = 64 * 1024;
const quickShards = 64;

export function createQuiltPool(nShards: number, logger: Logger): QuiltPool {
  let pool: WorkerPool | undefined;
  return {
    async encode(files) {
      const size = files.reduce((sum, { contents }) => sum + contents.length, 0);
      const task = { files, nShards };
      if (nShards <= quickShards && size <= quickBytes) return encodeFiles(task);
      pool ??= new WorkerPool({
        module: new URL('./quilt-encoding.ts', import.meta.url),
        threads: 1,
        networked: false,
        logger,
      });
      // Copy: a view would send its whole underlying buffer to the thread
      const copies = files.map(({ identifier, contents }) => ({
        identifier,
        contents: new Uint8Array(contents),
      }));
      return pool.run<EncodedQuilt>('encodeFiles', { files: copies, nShards });
    },
    close: async () => pool?.close(),
  };
}
