import type { Db } from '../../base/db/db.ts';
import { type BlobReads, readStored } from '../../blobs/read-stored.ts';
import type { ClaimedJob } from '../rows/claim-jobs.ts';
import { readOlderKeeper } from '../rows/duplicate-rows.ts';

/**
 * The memory that keeps the text of a duplicate, if its blob can be read now: blobs expire, and owners may delete them.
 * Undefined when there is no such memory or its blob cannot be read.
 */
export async function readKept(db: Db, blobs: BlobReads, job: ClaimedJob): Promise<string | undefined> {
  const { accountId, textHash, duplicate } = job;
  if (!duplicate || !textHash) return undefined;
  const kept = await readOlderKeeper(db, accountId, textHash);
  return kept && (await readStored(blobs, kept)) ? kept.id : undefined;
}
