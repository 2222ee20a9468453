import { readFile, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { type BlobIdentity, type BlobIdOptions, computeBlobId } from './blob-id.ts';
import type { BlobIdTask } from './blob-id-worker.ts';

export interface BlobIdPoolOptions extends BlobIdOptions {
  /** Most worker threads at a time; each may need the memory that `computeBlobId` tells */
  threads: number;
}

/** Worker threads that compute blob ids; the quickest are computed at once. Threads start on demand and end when they had nothing to do for a while. */
export interface BlobIdPool {
  /**
   * The bytes are copied, so they may change as soon as this returned. Rejects with what `computeBlobId` throws
   * (class and message; an error's other fields do not cross threads).
   */
  ofBytes(bytes: Uint8Array): Promise<BlobIdentity>;
  /** The file is read in the worker thread. Rejects like `ofBytes`, and with the system's errors. */
  ofFile(path: string): Promise<BlobIdentity>;
  /** Ends the threads. What is not done is rejected, and so is what comes later. */
  close(): Promise<void>;
}

/**
 * One thread stays warm: a new one takes about a tenth of a second to start and to fill its tables. The memory that
 * a thread took for its largest blob comes back when the thread ends.
 */
const warmThreads = 1;
const idleTimeoutMs = 30_000;

/** Up to these an id takes well under a millisecond, which is less than it costs to hand the work to a thread. */
const quickShards = 64;
const quickBytes = 32 * 1024;

export function createBlobIdPool({ nShards, threads }: BlobIdPoolOptions): BlobIdPool {
  const extension = extname(fileURLToPath(import.meta.url));
  const pool = new Piscina<BlobIdTask, BlobIdentity>({
    filename: new URL(`./blob-id-worker${extension}`, import.meta.url).href,
    name: 'identify',
    minThreads: warmThreads,
    maxThreads: threads,
    idleTimeout: idleTimeoutMs,
  });
  let closed = false;
  async function run(task: BlobIdTask, transferList: ArrayBuffer[]): Promise<BlobIdentity> {
    // Piscina itself would start new threads
    if (closed) throw new Error('the pool was closed');
    return pool.run(task, { transferList });
  }
  const isQuick = (size: number): boolean => nShards <= quickShards && size <= quickBytes;
  return {
    async ofBytes(bytes) {
      if (isQuick(bytes.length) && !closed) return computeBlobId(bytes, { nShards });
      // A view would take the whole buffer behind it along
      const content = new Uint8Array(bytes);
      return run({ nShards, content }, [content.buffer]);
    },
    async ofFile(path) {
      if (nShards <= quickShards && isQuick((await stat(path)).size) && !closed)
        return computeBlobId(await readFile(path), { nShards });
      return run({ nShards, path }, []);
    },
    close() {
      closed = true;
      return pool.close({ force: true });
    },
  };
}
