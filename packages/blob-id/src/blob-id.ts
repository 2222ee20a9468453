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
  /** Root of the Merkle tree over the sliver pairs, base64url; registration on chain needs it in addition to the id */
  rootHash: string;
}

export interface BlobMetadata extends BlobIdentity {
  /** Bytes of the content */
  size: number;
  /** For each of the n sliver pairs the hash of its primary and that of its secondary sliver, 32 bytes each */
  sliverHashes: Uint8Array;
}

export interface BlobIdOptions {
  /** Shards of the network: 1000 on the public ones, 4 at least */
  nShards: number;
}

/**
 * The Walrus RS2 id of a blob. Blocks the thread: at 1000 shards 0.1 to 0.3 s for up to 10 MB, then 10 s for
 * each GiB; `blob-id-pool.ts` does it in worker threads.
 *
 * Memory of the thread at 1000 shards: 6 MB and one and a half times the blob while it is below 57 MB, and 160 MB
 * for every larger one, which is read once for each 57 MB of it. The thread keeps it for the next blob.
 *
 * Throws `RangeError` for an unsupported number of shards and for a blob that is too large for the
 * shards (`maxBlobSize`), and what the source throws.
 */
export function computeBlobId(source: Uint8Array | BlobSource, options: BlobIdOptions): BlobIdentity {
  const { blobId, rootHash } = computeBlobMetadata(source, options);
  return { blobId, rootHash };
}

/** Like `computeBlobId`, and also returns the hashes of all slivers, at no extra cost. */
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

/** One of the two halves that an id can be computed from, in different threads; both cost about the same. */
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
 * The identity that hashes of slivers, as `computeBlobMetadata` returns them, have for a blob of `size` bytes: whether
 * metadata belongs to a blob id, without the content. Throws `RangeError` for another number of hashes.
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

/** Without Node's `Buffer`: ids are checked in browsers too. */
