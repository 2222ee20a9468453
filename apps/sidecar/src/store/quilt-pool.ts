import type { Logger } from 'pino';
import { WorkerPool } from '../worker-pool.ts';
import { type EncodedQuilt, encodeFiles, type QuiltFile } from './quilt-encoding.ts';

/** Packs quilts: small ones at once, others in a thread of its own, which starts with the first of them. */
export interface QuiltPool {
  /** Throws for files that fit into no quilt. */
  encode(files: readonly QuiltFile[]): Promise<EncodedQuilt>;
  close(): Promise<void>;
}

/** Up to this a quilt takes about two milliseconds, and its smallest one with 1000 shards is above it. */
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
        module: new URL('./quilt-encoding', import.meta.url),
        threads: 1,
        networked: false,
        logger,
      });
      // A view would take the whole buffer behind it along
      const own = files.map(({ identifier, contents }) => ({
        identifier,
        contents: new Uint8Array(contents),
      }));
      return pool.run<EncodedQuilt>('encodeFiles', { files: own, nShards });
    },
    close: async () => pool?.close(),
  };
}
