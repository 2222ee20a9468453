import type { Db, Queryable } from '../../base/db/db.ts';
import type { ClaimedJob } from './claim-jobs.ts';
import { lockKeeper, replaceKeeper } from './known-texts.ts';
import { trustedFor } from './read-kept.ts';
import { LeaseLostError } from './save-progress.ts';
import { moveSuccession, successorOf } from './successors.ts';

/** What becomes of a claimed job. */
export type Settlement =
  /** It is no duplicate, or none any more, since the memory that kept the text failed or is lost: it goes on */
  | { is: 'own' }
  /** The text is stored, but no search of today's model finds it: the vectors of this job are for that memory */
  | { is: 'refresh'; memoryId: string }
  /** It ended with the blob of the other memory, or waits for it: there is nothing more to do now */
  | { is: 'settled' };

/** What the caller knows when it asks. */
export interface Known {
  /** Of the vectors the job can be given; undefined when it has no text any more */
  model: string | undefined;
  /** The memory whose blob was read just now (read-kept.ts) */
  readable: string | undefined;
}

interface Keeper {
  state: 'pending' | 'done' | 'failed' | null;
  status: 'running' | 'done' | 'failed' | null;
  /** Found by a search of that model */
  searchable: boolean;
  /** Stored so lately that its blob is there */
  trusted: boolean;
  /** Another memory replaces it: who stores the text again means that it holds again */
  superseded: boolean;
}

/**
 * Decides about a job whose text another memory may keep, under a lock on the text, so that of several duplicates of
 * a failed memory one takes its place. A memory that is neither new nor was read just now counts as lost: at worst its
 * text is stored twice. Throws `LeaseLostError`.
 */
export async function settleDuplicate(
  db: Db,
  job: ClaimedJob,
  { model, readable }: Known,
): Promise<Settlement> {
  const { id, accountId, textHash, duplicate } = job;
  if (!duplicate || !textHash) return { is: 'own' };
  const hashed = { id, accountId, textHash };
  return db.transaction(async (tx): Promise<Settlement> => {
    const keeperId = await lockKeeper(tx, hashed);
    const keeper = await readKeeper(tx, job.accountId, keeperId, model ?? '');
    const isThere =
      keeper.state === 'done' && (keeper.trusted || keeperId === readable) && !keeper.superseded;
    if (keeperId !== job.id && isThere) {
      if (model !== undefined && !keeper.searchable) return { is: 'refresh', memoryId: keeperId };
      await endAsDuplicate(tx, job, keeperId);
      return { is: 'settled' };
    }
    if (keeperId !== job.id && keeper.status === 'running') {
      await waitOn(tx, job);
      return { is: 'settled' };
    }
    await replaceKeeper(tx, hashed);
    await becomeOwn(tx, job);
    return { is: 'own' };
  });
}

export async function readKeeper(
  tx: Queryable,
  accountId: Buffer,
  id: string,
  model: string,
): Promise<Keeper> {
  const { rows } = await tx.query<Keeper>(
    `SELECT memory.state, memory_job.status,
       coalesce(memory.created_at > now() - interval '${trustedFor}', false) AS trusted,
       ${successorOf('memory', 'true')} IS NOT NULL AS superseded, EXISTS (
       SELECT 1 FROM memory_vector WHERE account_id = $1 AND memory_id = $2 AND embedding_model = $3) AS searchable
     FROM (VALUES ($2::uuid)) AS keeper (id)
       LEFT JOIN memory ON memory.account_id = $1 AND memory.id = keeper.id
       LEFT JOIN memory_job ON memory_job.account_id = $1 AND memory_job.id = keeper.id`,
    [accountId, id, model],
  );
  return rows[0]!;
}

/** The job is done with the other's blob; what it brought is not needed, except that it may weigh more. */
export async function endAsDuplicate(tx: Queryable, job: ClaimedJob, keeperId: string): Promise<void> {
  const { rowCount } = await tx.query(
    `WITH keeper AS (
       SELECT account_id, id, blob_id FROM memory WHERE account_id = $3 AND id = $4 AND state = 'done'),
     job AS (
       UPDATE memory_job SET status = 'done', stage = 'indexing', blob_id = keeper.blob_id, outbox = NULL,
         given_vectors = NULL, envelope = NULL, error_code = NULL, error_message = NULL, lease_until = NULL, lease_token = NULL,
         updated_at = now()
       FROM keeper WHERE memory_job.id = $1 AND lease_token = $2 RETURNING memory_job.importance)
     UPDATE memory SET importance = greatest(memory.importance, job.importance)
     FROM job WHERE memory.account_id = $3 AND memory.id = $4`,
    [job.id, job.leaseToken, job.accountId, keeperId],
  );
  if (rowCount === 0) throw new LeaseLostError(job.id);
  await moveSuccession(tx, job.accountId, job.id, keeperId);
  if (job.outbox) return;
  // It was embedded, failed, and another took its place meanwhile
  for (const own of [
    'memory_vector WHERE account_id = $1 AND memory_id',
    'memory WHERE account_id = $1 AND id',
  ])
    await tx.query(`DELETE FROM ${own} = $2`, [job.accountId, job.id]);
}

/** Until it is woken; or half as long again as it waits already, at most a minute. */
async function waitOn(tx: Queryable, job: ClaimedJob): Promise<void> {
  await tx.query(
    `UPDATE memory_job SET stage = CASE WHEN stage = 'embedding' THEN 'queued' ELSE stage END, lease_until = NULL,
       lease_token = NULL,
       run_at = now() + least(greatest((now() - created_at) / 2, interval '1 second'), interval '1 minute')
     WHERE id = $1 AND lease_token = $2`,
    [job.id, job.leaseToken],
  );
}

async function becomeOwn(tx: Queryable, job: ClaimedJob): Promise<void> {
  const { rowCount } = await tx.query(
    'UPDATE memory_job SET duplicate = false WHERE id = $1 AND lease_token = $2',
    [job.id, job.leaseToken],
  );
  if (rowCount === 0) throw new LeaseLostError(job.id);
  await tx.query("UPDATE memory SET state = 'pending' WHERE account_id = $1 AND id = $2", [
    job.accountId,
    job.id,
  ]);
}

/** The duplicates that wait for the texts of these jobs of one account are due now. Returns how many. */
export async function wakeDuplicates(db: Db, jobs: readonly ClaimedJob[]): Promise<number> {
  const hashes = jobs.flatMap(({ textHash }) => textHash?.toString('hex') ?? []);
  if (hashes.length === 0) return 0;
  const { rowCount } = await db.query(
    `UPDATE memory_job SET run_at = now()
     WHERE account_id = $1 AND duplicate AND status = 'running'
       AND text_hash IN (SELECT decode(hash, 'hex') FROM unnest($2::text[]) AS hash)`,
    [jobs[0]!.accountId, hashes],
  );
  return rowCount;
}
