/** `@memrelay/blob-id/pool`: ids in worker threads and of files, in Node. */
export { type BlobIdPool, type BlobIdPoolOptions, createBlobIdPool } from './blob-id-pool.ts';
export { withFileSource } from './source/file-source-node.ts';
