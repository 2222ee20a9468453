import type { Db } from '../db/db.ts';
import { lockText } from './known-texts.ts';

/**
 * Puts a failed job back into the queue, with attempts counted from the start: before its embedding where it still
 * has its text, else before its upload. Of two calls at once one does it. Returns where it stands then, or undefined
 * when the account has no such failed job.
 */
export function retryJob(db: Db, accountId: Buffer, id: string): Promise<'queued' | 'uploading' | undefined> {
  return db.transaction(async (tx) => {
    const { rows: failed } = await tx.query<{ text_hash: Buffer | null }>(
      "SELECT text_hash FROM memory_job WHERE id = $1 AND account_id = $2 AND status = 'failed'",
      [id, accountId],
    );
    if (failed.length === 0) return undefined;
    const hash = failed[0]!.text_hash;
    // Another job with the same text may have taken its place since it failed
    const keeper = hash ? await lockText(tx, accountId, hash) : undefined;
    const isDuplicate = keeper !== undefined && keeper !== id;
    const { rows } = await tx.query<{ stage: 'queued' | 'uploading' }>(
      `WITH job AS (
         UPDATE memory_job SET status = 'running', stage = CASE WHEN outbox IS NULL THEN 'uploading' ELSE 'queued' END,
           duplicate = $3, attempts = 0, run_at = now(), error_code = NULL, error_message = NULL, updated_at = now()
         WHERE id = $1 AND account_id = $2 AND status = 'failed' RETURNING account_id, id, stage),
       memory AS (
         UPDATE memory SET state = 'pending' FROM job
         WHERE memory.account_id = job.account_id AND memory.id = job.id AND NOT $3)
       SELECT stage FROM job`,
      [id, accountId, isDuplicate],
    );
    return rows[0]?.stage;
  });
}
