import type { Readable } from 'node:stream';
import type { BlobIdentity } from '../base/blob-id-encoder.ts';
import type { Quarantine } from './quarantine.ts';

/** Content that was received and written to a local file but is not part of the store yet. */
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

/** The blobs whose bytes exist, by the names of their files. */
export interface StoredContent {
  blobs(): Iterable<StoredBlob>;
  has(blobId: string): boolean;
}

/** An open file of a blob, whose length was checked. */
export interface ContentFile {
  /**
   * Changes with every change of the file; undefined if the file was changed so recently that another change might
   * not change the stamp.
   */
  stamp: string | undefined;
  /** Reads into `target` if it is long enough. Throws `BlobDamagedError` if the file has become shorter. */
  read(range: ByteRange, target?: Buffer): Promise<Buffer>;
  /** Waits for reads in progress. */
  close(): Promise<void>;
}

/** Positions of the first and the last byte, both inclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Content that is old enough to be removed if no live object keeps it. */
export interface Removable {
  blobId: string;
  /** Removes it as it was listed; content stored since then stays. */
  remove(): Promise<void>;
}

/**
 * Storage of the bytes. Their meaning (epochs, objects, owners) is up to the registry. All methods throw
 * `StorageUnavailableError` when disk or bucket fail, and writes throw `StorageFullError` when there is no space.
 */
export interface Storage {
  /**
   * For how long after the start of a commit, in milliseconds, no sweep of another instance considers the content
   * unneeded. Its object must be registered by then. Infinite for a single instance.
   */
  readonly holdMs: number;
  /**
   * Writes a body to a local file while hashing it. Throws `BodyTooLargeError` past `limitBytes`; on any error,
   * including a truncated body, nothing is left behind.
   */
  stage(body: AsyncIterable<Uint8Array>, limitBytes: number): Promise<StagedBlob>;
  /**
   * Reserves space for staged content that is not stored yet, until it is committed or discarded. Throws
   * `StoreLimitError` if the store would exceed its limit.
   */
  reserve(staged: StagedBlob): void;
  /** Makes staged content durable under its identity, replacing (and so repairing) an existing copy. */
  commit(staged: StagedBlob, identity: BlobIdentity): Promise<StoredBlob>;
  /** Removes staged content. Does nothing after a commit. */
  discard(staged: StagedBlob): Promise<void>;
  find(blobId: string): Promise<StoredBlob | undefined>;
  findByDigest(digest: string): Promise<StoredBlob | undefined>;
  /**
   * Lists content that a sweep may remove, of one blob or of all. With `mayRemove`, content that is surplus in any
   * case is removed on the way: extra copies and interrupted uploads.
   */
  removable(look: { blobId?: string; mayRemove: boolean }): AsyncIterable<Removable>;
  /** Opens the content for reading, if it is a local file. Throws `BlobDamagedError` when its length is wrong. */
  open?(blob: StoredBlob): Promise<ContentFile>;
  /**
   * The content or a part of it as a stream with backpressure, unverified. Throws `BlobDamagedError` when its
   * length is wrong.
   */
  read(blob: StoredBlob, range?: ByteRange): Promise<Readable>;
  /** The same in memory, for small content, because a stream is several times as expensive as a read. */
  readAll(blob: StoredBlob, range?: ByteRange): Promise<Buffer>;
  /** Calls `use` with the path of a local file that has the content. */
  withFile<T>(blob: StoredBlob, use: (path: string) => Promise<T>): Promise<T>;
  /** Block digests (`block-digests.ts`) stored at the commit; undefined when there are none or damaged ones. */
  blockDigests(blob: StoredBlob): Promise<Buffer | undefined>;
  /** Stores block digests that were recomputed from content with the right digest. */
  keepBlockDigests(blob: StoredBlob, digests: Buffer): Promise<void>;
  /** Content that is kept although the registry does not know it */
  readonly quarantine: Quarantine;
  close(): Promise<void>;
}

export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
}

/** The stored bytes have changed since they were stored. */
export class BlobDamagedError extends Error {
  override readonly name = 'BlobDamagedError';
}

/** Disk or bucket is temporarily unavailable. This does not mean that content is missing. */
export class StorageUnavailableError extends Error {
  override readonly name = 'StorageUnavailableError';
}

/** There is no space left. Stored blobs stay readable. */
export class StorageFullError extends Error {
  override readonly name: string = 'StorageFullError';
}

/** The store has reached its operator's limit in bytes. */
export class StoreLimitError extends StorageFullError {
  override readonly name = 'StoreLimitError';
  readonly limitBytes: number;

  constructor(limitBytes: number) {
    super(`the store holds at most ${limitBytes} bytes`);
    this.limitBytes = limitBytes;
  }
}
