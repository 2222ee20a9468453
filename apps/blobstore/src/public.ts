/** `@memrelay/blobstore`: a publisher and aggregator in this process. */
export type { BlobDetails, BlobStoreAdmin, BlobSummary } from './admin/blob-store-admin.ts';
export type { StoreLogger } from './base/store-logger.ts';
export { type BlobStore, createBlobStore } from './blob-store.ts';
export type { BlobStoreOptions, Limits } from './config/blob-store-options.ts';
