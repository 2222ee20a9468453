import { sha256 } from '../sha256.ts';
import { type AggregatorReader, BlobReadError, type ReadOptions } from './aggregator-reads.ts';

/** Where blobs are read: all that this needs of it. */
export type BlobReads = Pick<AggregatorReader, 'read'>;

/** An envelope as its index row names it. */
export interface StoredEnvelope {
  blobId: string;
  envelopeSha256: Buffer;
}

export function isStored({ envelopeSha256 }: Pick<StoredEnvelope, 'envelopeSha256'>, bytes: Buffer): boolean {
  return sha256(bytes).equals(envelopeSha256);
}

/** The stored envelope, from an aggregator that has these very bytes; undefined where none has them now. */
export async function readStored(
  blobs: BlobReads,
  stored: StoredEnvelope,
  options: ReadOptions = {},
): Promise<Buffer | undefined> {
  try {
    return await blobs.read(stored.blobId, (bytes) => isStored(stored, bytes), options);
  } catch (error) {
    if (error instanceof BlobReadError) return undefined;
    throw error;
  }
}
