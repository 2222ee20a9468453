import { toBase64Url } from '@memrelay/protocol/bytes';
import { blobMetadata, identityOf, joinHalves } from './encode/blob-metadata.ts';
import { planBlob } from './encode/blob-plan.ts';
import { columnHalves, hashSlivers, type SliverHashes } from './encode/encode-blob.ts';
import { withEncoder } from './encode/encoders.ts';
import { type BlobSource, bytesSource } from './source/blob-source.ts';

/** The values that depend only on a blob's content. */
export interface BlobIdentity {
  /** Base64url, 43 characters */
  blobId: string;
  /**
   * Root of the Merkle tree over the sliver pairs, base64url; required for the registration on chain in addition to
   * the id
   */
  rootHash: string;
}

export interface BlobMetadata extends BlobIdentity {
  /** Bytes of the content */
  size: number;
  /** For each of the n sliver pairs, the hashes of its primary and its secondary sliver, 32 bytes each */
  sliverHashes: Uint8Array;
}

export interface BlobIdOptions {
  /** Number of shards of the network: 1000 on the public networks; at least 4 */
  nShards: number;
}

/**
 * The Walrus RS2 id of a blob. Blocks the thread: at 1000 shards 0.1 to 0.3 s for up to 10 MB, then 10 s per GiB.
 * `blob-id-pool.ts` uses worker threads instead.
 *
 * Memory of the thread at 1000 shards: 6 MB plus one and a half times the size of a blob below 57 MB, and 160 MB
 * for larger blobs, which are read once for each 57 MB of their size. The thread keeps the memory for the next
 * blob.
 *
 * Throws `RangeError` for an unsupported number of shards and for a blob that is too large for the shards
 * (`maxBlobSize`), and the errors of the source.
 */
export function computeBlobId(source: Uint8Array | BlobSource, options: BlobIdOptions): BlobIdentity {
  const { blobId, rootHash } = computeBlobMetadata(source, options);
  return { blobId, rootHash };
}

/** Like `computeBlobId`, but also returns the hashes of all slivers, at no extra cost. */
export function computeBlobMetadata(
  source: Uint8Array | BlobSource,
  { nShards }: BlobIdOptions,
): BlobMetadata {
  const content = source instanceof Uint8Array ? bytesSource(source) : source;
  return withEncoder(nShards, (encoder) => {
    const { id, root, sliverHashes } = blobMetadata(encoder, planBlob(encoder.matrix, content.size), content);
    return { blobId: toBase64Url(id), rootHash: toBase64Url(root), size: content.size, sliverHashes };
  });
}

/**
 * Computes one of the two halves from which an id can be computed, so that two threads can share the work. Both
 * take about the same time.
 */
export function hashHalf(
  source: Uint8Array | BlobSource,
  half: 0 | 1,
  { nShards }: BlobIdOptions,
): SliverHashes {
  const content = source instanceof Uint8Array ? bytesSource(source) : source;
  const part = columnHalves(nShards)[half];
  return withEncoder(nShards, (encoder) =>
    hashSlivers(encoder, planBlob(encoder.matrix, content.size), content, part),
  );
}

/** The id of a blob of `size` bytes from its two halves. */
export function identityOfHalves(
  size: number,
  halves: readonly [SliverHashes, SliverHashes],
  { nShards }: BlobIdOptions,
): BlobIdentity {
  return withEncoder(nShards, (encoder) => {
    const { id, root } = joinHalves(encoder, size, halves);
    return { blobId: toBase64Url(id), rootHash: toBase64Url(root) };
  });
}

/**
 * The identity of a blob of `size` bytes with these sliver hashes, in the format of `computeBlobMetadata`. Verifies
 * metadata against a blob id without the content. Throws `RangeError` for a wrong number of hashes.
 */
export function identityOfHashes(
  size: number,
  sliverHashes: Uint8Array,
  { nShards }: BlobIdOptions,
): BlobIdentity {
  if (sliverHashes.byteLength !== nShards * 64)
    throw new RangeError(`${nShards} shards require ${2 * nShards} hashes`);
  return withEncoder(nShards, (encoder) => {
    const { id, root } = identityOf(encoder, size, sliverHashes);
    return { blobId: toBase64Url(id), rootHash: toBase64Url(root) };
  });
}

/** Base64url without Node's `Buffer`, because ids are also computed in browsers. */
