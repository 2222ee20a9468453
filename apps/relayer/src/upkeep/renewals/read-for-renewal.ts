import type { Db } from '../../base/db/db.ts';
import type { BlobCache } from '../../blobs/blob-cache.ts';
import {
  type BlobLookup,
  type BlobReads,
  findStored,
  isStored,
  type StoredEnvelope,
} from '../../blobs/read-stored.ts';
import { suspect } from '../../jobs/rows/unreadable.ts';

/** Where the envelopes of stored memories are read for a renewal. */
export interface Sources {
  db: Db;
  aggregators: BlobReads;
  blobCache: BlobCache;
}

export interface StoredMemory extends StoredEnvelope {
  accountId: Buffer;
  id: string;
  /** Its owner has deleted its object: a copy that is left in the cache is not stored again */
  isDeleted?: boolean;
}

/** The envelope from the cache, or else from an aggregator. */
export async function findEnvelope(
  { aggregators, blobCache }: Sources,
  stored: StoredEnvelope,
): Promise<BlobLookup> {
  const [cached] = await blobCache.getMany([stored.blobId]);
  if (cached && isStored(stored, cached)) return { bytes: cached, absentAt: 0 };
  return findStored(aggregators, stored);
}

/** The envelope of a memory. Undefined if no aggregator has it now, which is recorded as a suspicion. */
export async function readForRenewal(sources: Sources, memory: StoredMemory): Promise<Buffer | undefined> {
  const { bytes, absentAt } = memory.isDeleted
    ? await findStored(sources.aggregators, memory)
    : await findEnvelope(sources, memory);
  if (absentAt > 0) await suspect(sources.db, memory.accountId, [memory.id], absentAt);
  return bytes;
}
