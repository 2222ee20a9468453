import type { Db } from '../../base/db/db.ts';
import type { IndexData } from '../../index/index-data.ts';
import { keywordColumns, keywordPlaceholders, keywordValues } from '../../index/keyword-columns.ts';
import { chunkParameters, insertVectors } from '../../index/vector-rows.ts';
import type { ClaimedJob } from './claim-jobs.ts';
import { endAsDuplicate } from './duplicate-rows.ts';

/**
 * A known text was stored again after the model changed: its memory gets the index data, so that searches find it, and the
 * job ends as its duplicate. Throws `LeaseLostError` without writing anything, also when the memory is gone.
 */
export async function saveRefreshed(
  db: Db,
  job: ClaimedJob,
  memoryId: string,
  { info, chunks, keywords }: IndexData,
): Promise<void> {
  const { placeholders, values } = chunkParameters(chunks, 5);
  await db.transaction(async (tx) => {
    // The job before the memory, as a forget locks them
    await tx.query('SELECT 1 FROM memory_job WHERE id = $1 FOR UPDATE', [job.id]);
    await tx.query(
      `WITH job AS (
         SELECT account_id, namespace, id FROM memory WHERE account_id = $1 AND id = $4 AND state = 'done'
         FOR UPDATE)
       ${insertVectors(placeholders)} ON CONFLICT DO NOTHING`,
      [job.accountId, info.model, info.keyId, memoryId, ...values],
    );
    await tx.query(
      `UPDATE memory SET (${keywordColumns}) = (${keywordPlaceholders(3)})
       WHERE account_id = $1 AND id = $2 AND state = 'done'`,
      [job.accountId, memoryId, ...keywordValues(keywords)],
    );
    await endAsDuplicate(tx, job, memoryId);
  });
}
