import { randomUUID } from 'node:crypto';
import type { Db, Queryable } from '../../base/db/db.ts';
import { lockText } from './known-texts.ts';

type Stage = 'queued' | 'uploading';

interface FailedJob {
  id: string;
  text_hash: Buffer | null;
  quilt_id: string | null;
}

/**
 * Puts a failed job back into the queue and resets its attempts: before its embedding if it still has its text, otherwise
 * before its upload. The jobs of its quilt are retried with it: what was paid for is found again only as the same quilt.
 * The object goes to `owner`, the account's current owner. Of two concurrent calls only one has an effect. Returns the
 * job's new stage, or undefined when the account has no such failed job.
 */
export function retryJob(db: Db, accountId: Buffer, id: string, owner: string): Promise<Stage | undefined> {
  // Jobs of the quilt that are still running go to another owner, so they stay in a separate quilt
  const newQuilt = randomUUID();
  return db.transaction(async (tx) => {
    const { rows: failed } = await tx.query<FailedJob>(
      `SELECT id, text_hash, quilt_id FROM memory_job
       WHERE account_id = $1 AND status = 'failed' AND (id = $2 OR quilt_id = (
         SELECT quilt_id FROM memory_job WHERE id = $2 AND account_id = $1 AND status = 'failed'))
       ORDER BY text_hash, id`,
      [accountId, id],
    );
    const stages = new Map<string, Stage | undefined>();
    for (const job of failed) stages.set(job.id, await retryOne(tx, accountId, job, { owner, newQuilt }));
    return stages.get(id);
  });
}

async function retryOne(
  tx: Queryable,
  accountId: Buffer,
  job: FailedJob,
  { owner, newQuilt }: { owner: string; newQuilt: string },
): Promise<Stage | undefined> {
  // Another job with the same text may have taken its place since it failed
  const keeper = job.text_hash ? await lockText(tx, accountId, job.text_hash) : undefined;
  const isDuplicate = keeper !== undefined && keeper !== job.id;
  const { rows } = await tx.query<{ stage: Stage }>(
    `WITH job AS (
       UPDATE memory_job SET status = 'running', stage = CASE WHEN outbox IS NULL THEN 'uploading' ELSE 'queued' END,
         duplicate = $3, owner = $4, attempts = 0, run_at = now(),
         quilt_id = CASE WHEN $3 THEN NULL WHEN quilt_id IS NULL OR owner = $4 THEN quilt_id ELSE $5::uuid END,
         error_code = NULL, error_message = NULL, updated_at = now()
       WHERE id = $1 AND account_id = $2 AND status = 'failed' RETURNING account_id, id, stage),
     memory AS (
       UPDATE memory SET state = 'pending' FROM job
       WHERE memory.account_id = job.account_id AND memory.id = job.id AND NOT $3)
     SELECT stage FROM job`,
    [job.id, accountId, isDuplicate, owner, newQuilt],
  );
  return rows[0]?.stage;
}
