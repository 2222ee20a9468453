import type { Db } from '../../base/db/db.ts';
import { firstStrayCheck, notedAgain } from './stray-rows.ts';

/** An account whose owner's objects are due for a check. */
export interface DueStrayCheck {
  accountId: Buffer;
  /** Checks since the last noted problem */
  looks: number;
  /** The database's time at the start, as its text: a Date would round it */
  begunAt: string;
}

/** Overlap of two checks: a job that ended shortly before the last one may not have been committed then. */
const overlap = "interval '10 seconds'";

/**
 * Makes accounts due for a check that have jobs which ended since `since` (the result of the previous call) and whose
 * upload was started more than once. Returns the database's time.
 */
export async function noteRepeated(db: Db, since: string | undefined): Promise<string> {
  const { rows } = await db.query<{ at: string }>('SELECT now()::text AS at');
  await db.query(
    `INSERT INTO stray_look (account_id, due_at)
     SELECT DISTINCT account_id, ${firstStrayCheck} FROM memory_job
     WHERE status = 'done' AND upload_claims > 1
       AND updated_at > coalesce($1::timestamptz, now() - interval '1 hour') - ${overlap}
     ${notedAgain}`,
    [since ?? null],
  );
  return rows[0]!.at;
}

export async function dueStrayChecks(db: Db, limit: number): Promise<DueStrayCheck[]> {
  const { rows } = await db.query<{ account_id: Buffer; looks: number; begun_at: string }>(
    'SELECT account_id, looks, now()::text AS begun_at FROM stray_look WHERE due_at <= now() ORDER BY due_at LIMIT $1',
    [limit],
  );
  return rows.map(({ account_id, looks, begun_at }) => ({ accountId: account_id, looks, begunAt: begun_at }));
}

/** Pauses after the first and the second check */
const pauses = ['10 minutes', '1 hour'] as const;
/** Pause until the next check whether listed objects still exist: owners delete them */
const listedPause = '1 day';

/**
 * Schedules the next check, or none when nothing is left to check. If a problem was noted during this check, the sequence
 * starts over.
 */
export async function scheduleStrayCheck(
  db: Db,
  { accountId, looks, begunAt }: DueStrayCheck,
  isListed: boolean,
): Promise<void> {
  const pause = pauses[looks] ?? (isListed ? listedPause : undefined);
  if (pause === undefined) {
    await db.query(
      `WITH look AS (DELETE FROM stray_look WHERE account_id = $1 AND noted_at < $2::timestamptz RETURNING account_id)
       DELETE FROM stray_blob USING look WHERE stray_blob.account_id = look.account_id`,
      [accountId, begunAt],
    );
    return;
  }
  await db.query(
    `UPDATE stray_look SET (looks, due_at) = (SELECT least(looks + 1, ${pauses.length}), now() + $3::interval
       WHERE noted_at < $2::timestamptz UNION ALL SELECT 0, ${firstStrayCheck} WHERE noted_at >= $2::timestamptz)
     WHERE account_id = $1`,
    [accountId, begunAt, pause],
  );
}
