import type { BlobIdentity } from '@memrelay/blob-id/blob-id';
import { createBlobIdPool } from '@memrelay/blob-id/blob-id-pool';

export type { BlobIdentity };

/** Computes Walrus blob ids for a fixed number of shards. */
export interface BlobIdEncoder {
  /**
   * Computes the identity of the content of a local file. Rejects if the file cannot be read or is too large to
   * encode.
   */
  identify(path: string): Promise<BlobIdentity>;
  close(): Promise<void>;
}

/**
 * Computes ids in at most `threads` worker threads, which read the files themselves. Bodies are not encoded while
 * they arrive, because each column of the code needs the last row of the blob, so two thirds of the work cannot
 * start before the end of the body.
 */
export function createWasmEncoder(nShards: number, threads: number): BlobIdEncoder {
  const pool = createBlobIdPool({ nShards, threads });
  return { identify: pool.ofFile, close: pool.close };
}
