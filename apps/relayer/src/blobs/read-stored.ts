import { sha256 } from '../base/sha256.ts';
import { type AggregatorReader, BlobReadError, type ReadOptions } from './aggregator-reads.ts';

/** The part of the aggregator reader that is needed here. */
export type BlobReads = Pick<AggregatorReader, 'read'>;

/** A stored envelope, as its database row describes it. */
export interface StoredEnvelope {
  blobId: string;
  envelopeSha256: Buffer;
}

export function isStored({ envelopeSha256 }: Pick<StoredEnvelope, 'envelopeSha256'>, bytes: Buffer): boolean {
  return sha256(bytes).equals(envelopeSha256);
}

/** Result of looking for a stored envelope. */
export interface BlobLookup {
  /** Undefined if no aggregator has it now */
  bytes: Buffer | undefined;
  /** How many aggregators do not have the blob; 0 unless all of them reported that, without failures or other bytes */
  absentAt: number;
}

/** Reads the stored envelope from the first aggregator that has exactly these bytes. */
export async function findStored(
  blobs: BlobReads,
  stored: StoredEnvelope,
  options: ReadOptions = {},
): Promise<BlobLookup> {
  try {
    const bytes = await blobs.read(stored.blobId, (read) => isStored(stored, read), options);
    return { bytes, absentAt: 0 };
  } catch (error) {
    if (error instanceof BlobReadError) return { bytes: undefined, absentAt: error.absentAt };
    throw error;
  }
}

/** Reads the stored envelope; undefined if no aggregator has it now. */
export async function readStored(
  blobs: BlobReads,
  stored: StoredEnvelope,
  options: ReadOptions = {},
): Promise<Buffer | undefined> {
  return (await findStored(blobs, stored, options)).bytes;
}
