import { createBlobIdPool } from '@memrelay/blob-id/blob-id-pool';
import type { BlobIdEncoder } from './blob-id-encoder.ts';

/**
 * Computes ids in at most `threads` worker threads, which read the files themselves. Files, not bodies on their way:
 * each column of the code needs the last row of the blob, so two thirds of the work cannot begin before its end.
 */
export function createWasmEncoder(nShards: number, threads: number): BlobIdEncoder {
  const pool = createBlobIdPool({ nShards, threads });
  return { identify: pool.ofFile, close: pool.close };
}
