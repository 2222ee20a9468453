import type { BlobIdentity } from '@memrelay/blob-id/blob-id';

export type { BlobIdentity };

/** Computes Walrus blob ids for a fixed number of shards. */
export interface BlobIdEncoder {
  /** Identity of the content of a local file. Rejects when the file cannot be read or is too large to encode. */
  identify(path: string): Promise<BlobIdentity>;
  close(): Promise<void>;
}
