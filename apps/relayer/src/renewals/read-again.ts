import type { BlobCache } from '../blobs/blob-cache.ts';
import { type BlobReads, isStored, lookFor, type StoredEnvelope } from '../blobs/read-stored.ts';
import type { Db } from '../db/db.ts';
import { suspect } from '../missing/unreadable.ts';

export interface StoredMemory extends StoredEnvelope {
  accountId: Buffer;
  id: string;
}

/** The envelope of a memory that is stored once more; undefined, and kept in mind, where nobody has it now. */
export async function readAgain(
  { db, aggregators, blobCache }: { db: Db; aggregators: BlobReads; blobCache: BlobCache },
  memory: StoredMemory,
): Promise<Buffer | undefined> {
  const [cached] = await blobCache.getMany([memory.blobId]);
  if (cached && isStored(memory, cached)) return cached;
  const { bytes, absentAt } = await lookFor(aggregators, memory);
  if (absentAt > 0) await suspect(db, memory.accountId, [memory.id], absentAt);
  return bytes;
}
