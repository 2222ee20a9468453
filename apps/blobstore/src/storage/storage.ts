import type { Readable } from 'node:stream';
import type { BlobIdentity } from '../base/blob-id-encoder.ts';
import type { Quarantine } from './quarantine.ts';

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

/** The blobs whose bytes exist, by the names of their files. */
export interface StoredContent {
  blobs(): Iterable<StoredBlob>;
  has(blobId: string): boolean;
}

/** A blob's file, opened, with the length that it should have. */
export interface ContentFile {
  /**
   * Another one after every change of the file; undefined for a file that was changed so recently that a further
   * change may not show.
   */
  stamp: string | undefined;
  /** Reads into `target` if it is long enough. Throws `BlobDamagedError` if the file has become shorter. */
  read(range: ByteRange, target?: Buffer): Promise<Buffer>;
  /** Waits for reads in progress. */
  close(): Promise<void>;
}

/** First and last byte, both included. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Content that is old enough to be removed, where no live object keeps it. */
export interface Removable {
  blobId: string;
  /** Removes it as it was listed; content stored since then stays. */
  remove(): Promise<void>;
}

/**
 * Storage of the bytes. Their meaning (epochs, objects, owners) is up to the registry. Everything throws
 * `StorageUnavailableError` when disk or bucket fail, and writes throw `StorageFullError` when there is no space.
 */
export interface Storage {
  /**
   * For how long after the start of a commit, in milliseconds, no sweep of another instance considers the content
   * unneeded. Its object must be registered by then. Infinite for a single instance.
   */
  readonly holdMs: number;
  /**
   * Writes a body to a local file while hashing it. Throws `BodyTooLargeError` past `limitBytes`; on any
   * error, including a body that breaks off, nothing is left behind.
   */
  stage(body: AsyncIterable<Uint8Array>, limitBytes: number): Promise<StagedBlob>;
  /**
   * Sets room aside for staged content that is not stored yet, until it is committed or discarded. Throws
   * `StoreLimitError` when the store would hold more than it may.
   */
  reserve(staged: StagedBlob): void;
  /** Makes staged content durable under its identity, replacing (and so repairing) an existing copy. */
  commit(staged: StagedBlob, identity: BlobIdentity): Promise<StoredBlob>;
  /** Forgets staged content; after a commit this does nothing. */
  discard(staged: StagedBlob): Promise<void>;
  find(blobId: string): Promise<StoredBlob | undefined>;
  findByDigest(digest: string): Promise<StoredBlob | undefined>;
  /**
   * Lists content that a sweep may remove, of one blob or of all. With `mayRemove`, content that is surplus in any
   * case is removed on the way: extra copies and interrupted uploads.
   */
  removable(look: { blobId?: string; mayRemove: boolean }): AsyncIterable<Removable>;
  /** Opens the content for reading, where it is a local file. Throws `BlobDamagedError` when its length is wrong. */
  open?(blob: StoredBlob): Promise<ContentFile>;
  /**
   * The content or a part of it as a stream with backpressure, unverified. Throws `BlobDamagedError` when its
   * length is wrong.
   */
  read(blob: StoredBlob, range?: ByteRange): Promise<Readable>;
  /** The same in memory, for small content: a stream costs several times as much as a read. */
  readAll(blob: StoredBlob, range?: ByteRange): Promise<Buffer>;
  /** Gives `use` a local file with the content. */
  withFile<T>(blob: StoredBlob, use: (path: string) => Promise<T>): Promise<T>;
  /** Block digests (`block-digests.ts`) stored at the commit; undefined when there are none or damaged ones. */
  blockDigests(blob: StoredBlob): Promise<Buffer | undefined>;
  /** Keeps block digests that were computed again from content with the right digest. */
  keepBlockDigests(blob: StoredBlob, digests: Buffer): Promise<void>;
  /** Content that is kept although the registry does not know it */
  readonly quarantine: Quarantine;
  close(): Promise<void>;
}

export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
}

/** The bytes on disk are not the ones that were stored. */
export class BlobDamagedError extends Error {
  override readonly name = 'BlobDamagedError';
}

/** Disk or bucket cannot be used at the moment; this does not mean that anything is missing. */
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
