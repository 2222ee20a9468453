import type { BlobIdentity } from '@memrelay/blob-id/blob-id';
import { createBlobIdPool } from '@memrelay/blob-id/blob-id-pool';

export type { BlobIdentity };

/** Computes Walrus blob ids for a fixed number of shards. */
export interface BlobIdEncoder {
  /** Identity of the content of a local file. Rejects when the file cannot be read or is too large to encode. */
  identify(path: string): Promise<BlobIdentity>;
  close(): Promise<void>;
}

/**
 * Computes ids in at most `threads` worker threads, which read the files themselves. Files, not bodies on their way:
 * each column of the code needs the last row of the blob, so two thirds of the work cannot begin before its end.
 */
export function createWasmEncoder(nShards: number, threads: number): BlobIdEncoder {
  const pool = createBlobIdPool({ nShards, threads });
  return { identify: pool.ofFile, close: pool.close };
}
