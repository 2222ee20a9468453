import { createBlobIdPool } from '@memrelay/blob-id/blob-id-pool';
import type { BlobIdEncoder } from './blob-id-encoder.ts';

/** Computes ids in at most `threads` worker threads, which read the files themselves. */
export function createWasmEncoder(nShards: number, threads: number): BlobIdEncoder {
  const pool = createBlobIdPool({ nShards, threads });
  return { identify: pool.ofFile, close: pool.close };
}
