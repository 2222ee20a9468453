import type { Db, Queryable } from '../../base/db/db.ts';
import type { ClaimedJob } from './claim-jobs.ts';
import { LeaseLostError } from './save-progress.ts';
import { moveSuccession, successorOf } from './successors.ts';

/** A memory stored within this time is assumed to exist without a read: the shortest epoch of any network is a day. */
const trustedFor = '1 hour';

interface Keeper {
  state: 'pending' | 'done' | 'failed' | null;
  status: 'running' | 'done' | 'failed' | null;
  /** Found by a search of that model */
  searchable: boolean;
  /** Stored so recently that its blob must exist */
  trusted: boolean;
  /** Another memory replaces it: storing the text again means that it is valid again */
  superseded: boolean;
}

/** The stored memory with this text; undefined if there is none, or if it is too recent to need a read. */
export async function readOlderKeeper(
  db: Db,
  accountId: Buffer,
  textHash: Buffer,
): Promise<{ id: string; blobId: string; envelopeSha256: Buffer } | undefined> {
  const { rows } = await db.query<{ id: string; blob_id: string; envelope_sha256: Buffer }>(
    `SELECT id, blob_id, envelope_sha256
     FROM known_text JOIN memory ON memory.account_id = known_text.account_id AND memory.id = known_text.memory_id
     WHERE known_text.account_id = $1 AND text_hash = $2 AND state = 'done'
       AND created_at < now() - interval '${trustedFor}'`,
    [accountId, textHash],
  );
  const kept = rows[0];
  return kept && { id: kept.id, blobId: kept.blob_id, envelopeSha256: kept.envelope_sha256 };
}

/** The state of the memory with this text, and of its job. */
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

/** Ends the job with the other memory's blob. Its own data is not needed, except for a higher importance. */
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
  // It was embedded and failed, and another memory has taken its place since
  for (const own of [
    'memory_vector WHERE account_id = $1 AND memory_id',
    'memory WHERE account_id = $1 AND id',
  ])
    await tx.query(`DELETE FROM ${own} = $2`, [job.accountId, job.id]);
}

/** Waits until it is woken, or for half the time since it was created: at least a second, at most a minute. */
export async function waitForKeeper(tx: Queryable, job: ClaimedJob): Promise<void> {
  await tx.query(
    `UPDATE memory_job SET stage = CASE WHEN stage = 'embedding' THEN 'queued' ELSE stage END, lease_until = NULL,
       lease_token = NULL,
       run_at = now() + least(greatest((now() - created_at) / 2, interval '1 second'), interval '1 minute')
     WHERE id = $1 AND lease_token = $2`,
    [job.id, job.leaseToken],
  );
}

/** Makes the job an original: its text is stored as a separate memory. Throws `LeaseLostError`. */
export async function promoteDuplicate(tx: Queryable, job: ClaimedJob): Promise<void> {
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

/** Makes duplicates that wait for the texts of these jobs of one account due now. Returns how many. */
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
