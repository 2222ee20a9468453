import type { Readable } from 'node:stream';
import type { BlobIdentity } from '../encoding/blob-id-encoder.ts';

/** Content received and written to a local file, not yet part of the store. */
export interface StagedBlob {
  path: string;
  /** Bytes */
  size: number;
  /** SHA-256 of the content, base64url */
  digest: string;
  /** See `block-digests.ts` */
  blockDigests: Buffer;
}

export interface StoredBlob extends BlobIdentity {
  size: number;
  digest: string;
}

/** First and last byte, both included. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Where the bytes are. What a blob means (epochs, objects, owners) is the registry's. */
export interface Storage {
  /**
   * Writes a body to a local file while hashing it. Throws `BodyTooLargeError` past `limitBytes`; on any
   * error, including a body that breaks off, nothing is left behind.
   */
  stage(body: AsyncIterable<Uint8Array>, limitBytes: number): Promise<StagedBlob>;
  /** Makes staged content durable under its identity, replacing (and so repairing) an existing copy. */
  commit(staged: StagedBlob, identity: BlobIdentity): Promise<StoredBlob>;
  /** Forgets staged content; after a commit this does nothing. */
  discard(staged: StagedBlob): Promise<void>;
  find(blobId: string): Promise<StoredBlob | undefined>;
  findByDigest(digest: string): Promise<StoredBlob | undefined>;
  /** The ids of all stored blobs at this moment. */
  list(): Promise<string[]>;
  /** The whole content at once, unverified. Throws `BlobDamagedError` when its length is wrong. */
  readAll(blob: StoredBlob): Promise<Buffer>;
  /** The content or a part of it as a stream with backpressure, unverified. Throws like `readAll`. */
  read(blob: StoredBlob, range?: ByteRange): Promise<Readable>;
  /** Gives `use` a local file with the content. */
  withFile<T>(blob: StoredBlob, use: (path: string) => Promise<T>): Promise<T>;
  /** Block digests (`block-digests.ts`) kept since the commit; undefined when there are none or damaged ones. */
  blockDigests(blob: StoredBlob): Promise<Buffer | undefined>;
  /** Keeps block digests that were computed again from content with the right digest. */
  keepBlockDigests(blob: StoredBlob, digests: Buffer): Promise<void>;
  remove(blobId: string): Promise<void>;
  close(): Promise<void>;
}

export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
}

/** The bytes on disk are not the ones that were stored. */
export class BlobDamagedError extends Error {
  override readonly name = 'BlobDamagedError';
}
