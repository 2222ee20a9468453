import type { Db } from '../../base/db/db.ts';
import { type BlobReads, readStored } from '../../blobs/read-stored.ts';
import type { ClaimedJob } from './claim-jobs.ts';

/** How long a stored memory is believed to be there without a look: the shortest epoch of a network is a day. */
export const trustedFor = '1 hour';

/**
 * The memory that keeps the text of a duplicate, when its blob was read just now: it expires some day, and its owner may
 * delete it. Undefined when there is none, or it cannot be read.
 */
export async function readKept(db: Db, blobs: BlobReads, job: ClaimedJob): Promise<string | undefined> {
  const { accountId, textHash, duplicate } = job;
  if (!duplicate || !textHash) return undefined;
  const { rows } = await db.query<{ id: string; blob_id: string; envelope_sha256: Buffer }>(
    `SELECT id, blob_id, envelope_sha256
     FROM known_text JOIN memory ON memory.account_id = known_text.account_id AND memory.id = known_text.memory_id
     WHERE known_text.account_id = $1 AND text_hash = $2 AND state = 'done'
       AND created_at < now() - interval '${trustedFor}'`,
    [accountId, textHash],
  );
  const kept = rows[0];
  if (!kept) return undefined;
  const stored = { blobId: kept.blob_id, envelopeSha256: kept.envelope_sha256 };
  return (await readStored(blobs, stored)) && kept.id;
}
