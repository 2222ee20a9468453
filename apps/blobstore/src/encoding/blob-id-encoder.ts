/** What the content alone decides about a blob. */
export interface BlobIdentity {
  /** Base64url, 43 characters */
  blobId: string;
  /** Root of the Merkle tree over the slivers, base64url; registration on chain needs it beside the id */
  rootHash: string;
}

/** Computes Walrus blob ids for a fixed number of shards. */
export interface BlobIdEncoder {
  /** Identity of the content of a local file. Rejects when the file cannot be read or is too large to encode. */
  identify(path: string): Promise<BlobIdentity>;
  close(): Promise<void>;
}
