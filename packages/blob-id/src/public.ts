/** `@memrelay/blob-id`: ids in the calling thread, in Node and in browsers. */
export {
  type BlobIdentity,
  type BlobIdOptions,
  type BlobMetadata,
  computeBlobId,
  computeBlobMetadata,
  identityOfHashes,
} from './blob-id.ts';
export { sliverHash } from './sliver-hash.ts';
export type { BlobSource } from './source/blob-source.ts';
export { maxBlobSize } from './source/matrix.ts';
