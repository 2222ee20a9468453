import { readFile, stat } from 'node:fs/promises';
import { Piscina } from 'piscina';
import { type BlobIdentity, type BlobIdOptions, computeBlobId } from './blob-id.ts';
import type * as worker from './blob-id-worker.ts';
import type { BlobIdTask, JoinTask } from './blob-id-worker.ts';
import type { SliverHashes } from './encode/encode-blob.ts';
import { sourceMatrix } from './source/matrix.ts';

export interface BlobIdPoolOptions extends BlobIdOptions {
  /** Maximum number of worker threads; each may need the memory documented at `computeBlobId` */
  threads: number;
}

/**
 * Computes blob ids in worker threads, except for the smallest blobs, which are computed in the calling thread.
 * Threads start on demand and end when they are idle.
 */
export interface BlobIdPool {
  /**
   * The bytes are copied, so they may change as soon as this returns. Rejects with the errors of `computeBlobId`
   * (their class and message; other fields of an error are not transferred between threads).
   */
  ofBytes(bytes: Uint8Array): Promise<BlobIdentity>;
  /** The file is read in the worker thread. Rejects like `ofBytes`, and with the system's errors. */
  ofFile(path: string): Promise<BlobIdentity>;
  /** Stops the threads. Unfinished and later calls are rejected. */
  close(): Promise<void>;
}

/**
 * A new thread takes about 0.1 s to start and to fill its tables. An idle thread keeps 25 MB and the memory that its
 * largest blob needed.
 */
const idleTimeoutMs = 60_000;

/**
 * From this number of shards on, a blob with two-byte symbols takes so long that two threads share it when both are
 * idle.
 */
const sharedFromShards = 256;
const sharingThreads = 2;

/**
 * Limits below which an id is computed in the calling thread. It takes well under 1 ms, less than passing the work
 * to a thread.
 */
const quickShards = 64;
const quickBytes = 32 * 1024;

export function createBlobIdPool({ nShards, threads }: BlobIdPoolOptions): BlobIdPool {
  const { rows, columns } = sourceMatrix(nShards);
  const sharedBytes = nShards >= sharedFromShards && threads >= sharingThreads ? rows * columns * 2 : -1;
  const pool = new Piscina({
    filename: new URL('./blob-id-worker.ts', import.meta.url).href,
    name: 'identify',
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: idleTimeoutMs,
  });
  let closed = false;
  let working = 0;

  async function run<T>(
    name: keyof typeof worker,
    task: object,
    transferList: ArrayBuffer[] = [],
  ): Promise<T> {
    // Otherwise Piscina would start new threads
    if (closed) throw new Error('the pool is closed');
    working += 1;
    try {
      return (await pool.run(task, { name, transferList })) as T;
    } finally {
      working -= 1;
    }
  }

  /** Computes one id in two threads, each with half of the columns. */
  async function share(task: BlobIdTask, size: number): Promise<BlobIdentity> {
    const halves = await Promise.all([
      run<SliverHashes>('half', { ...task, half: 0 }),
      run<SliverHashes>('half', { ...task, half: 1 }),
    ]);
    return run('join', { nShards, size, halves } satisfies JoinTask);
  }

  const isShared = (size: number): boolean => working === 0 && size <= sharedBytes;
  const isQuick = (size: number): boolean => nShards <= quickShards && size <= quickBytes;
  return {
    async ofBytes(bytes) {
      if (isQuick(bytes.length) && !closed) return computeBlobId(bytes, { nShards });
      // A view would transfer the whole underlying buffer
      const content = new Uint8Array(bytes);
      if (isShared(bytes.length)) return share({ nShards, content }, bytes.length);
      return run('identify', { nShards, content } satisfies BlobIdTask, [content.buffer]);
    },
    async ofFile(path) {
      if (nShards <= quickShards && isQuick((await stat(path)).size) && !closed)
        return computeBlobId(await readFile(path), { nShards });
      const size = sharedBytes > 0 && working === 0 ? (await stat(path)).size : Number.POSITIVE_INFINITY;
      if (isShared(size)) return share({ nShards, path }, size);
      return run('identify', { nShards, path } satisfies BlobIdTask);
    },
    close() {
      closed = true;
      return pool.close({ force: true });
    },
  };
}
