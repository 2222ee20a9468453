import type { Db } from '../../base/db/db.ts';

/** A job that a worker has leased. */
export interface ClaimedJob {
  id: string;
  accountId: Buffer;
  owner: string;
  namespace: string;
  /** Failed attempts at this stage so far */
  attempts: number;
  /** Number of uploads started, including this one */
  uploadClaims: number;
  /** Progress of the upload, and the wallet that pays */
  checkpoint: UploadProgress;
  leaseToken: string;
  outbox: Buffer | null;
  envelope: Buffer;
  textHash: Buffer | undefined;
  /** Another memory stores the same text (settle-duplicate.ts) */
  duplicate: boolean;
  /** The quilt it is stored in (pack-quilt.ts) */
  quiltId: string | undefined;
  /** The model of vectors that came with its text (imported-vectors.ts) */
  importedModel: string | undefined;
}

export interface UploadProgress {
  reached?: string | null;
  /** Blobs that its uploads were about to store, or have started to: a different one each time it was repacked */
  blob_id?: string;
  blob_ids?: string[];
  /** The wallet that may have paid for it already; null once it is known that another one must pay */
  wallet?: string | null;
  /** The memory whose blob is renewed; absent when the job stores its own */
  renews?: string;
  /** An object that ends earlier does not count: the renewal must reach this epoch */
  min_end_epoch?: number;
  /** Where a tombstone or a new wrap of a key is, and until when (wraps-and-tombstones.ts) */
  object_id?: string | null;
  end_epoch?: number;
}

/** How long a lease lasts unless it is extended; the lease of the wallet that pays for a job lasts as long. */
export const leaseSeconds = 15;

/** Kind of work on a job. Each kind has its own jobs, index (0002_jobs.sql) and turns. */
export type Work = 'embedding' | 'uploading';

/** Waiting and running jobs of this kind; must match the predicate of its index */
export const waiting: Readonly<Record<Work, string>> = {
  embedding: "status = 'running' AND stage IN ('queued', 'embedding')",
  uploading: "status = 'running' AND stage IN ('uploading', 'indexing')",
};
/** Not leased by a worker */
export const free = '(lease_until IS NULL OR lease_until < now())';
/** `$5`: seconds that an upload waits for others that go with it, before it is begun for the first time */
const due: Readonly<Record<Work, string>> = {
  embedding: `run_at <= now() AND ${free}`,
  uploading: `run_at <= now() - CASE WHEN upload_claims = 0 THEN make_interval(secs => $5) ELSE '0' END AND ${free}`,
};

/** Bytes of sealed texts that the accounts of a batch share. Each account's oldest job is included, whatever its size. */
export const batchBytes = 256 * 1024;
/** Bytes that a job counts against `batchBytes`, read from the row without the text. An upload has a batch of its own. */
const sizeOf: Readonly<Record<Work, string>> = {
  embedding: 'coalesce(octet_length(outbox), 0)',
  uploading: '0',
};

/** The columns that a worker needs of a job that it claimed */
export const claimedColumns = `memory_job.id, account_id, owner, namespace, attempts, upload_claims, checkpoint, outbox,
    envelope, text_hash, duplicate, quilt_id, given_model`;

export interface ClaimedRow {
  id: string;
  account_id: Buffer;
  owner: string;
  namespace: string;
  attempts: number;
  upload_claims: number;
  checkpoint: UploadProgress;
  outbox: Buffer | null;
  envelope: Buffer;
  text_hash: Buffer | null;
  duplicate: boolean;
  quilt_id: string | null;
  given_model: string | null;
}

export function claimedJob(row: ClaimedRow, leaseToken: string): ClaimedJob {
  return {
    id: row.id,
    accountId: row.account_id,
    owner: row.owner,
    namespace: row.namespace,
    attempts: row.attempts,
    uploadClaims: row.upload_claims,
    checkpoint: row.checkpoint,
    leaseToken,
    outbox: row.outbox,
    envelope: row.envelope,
    textHash: row.text_hash ?? undefined,
    duplicate: row.duplicate,
    quiltId: row.quilt_id ?? undefined,
    importedModel: row.given_model ?? undefined,
  };
}

/**
 * Fair scheduling: iterates over the waiting accounts in id order, starting after `$4` and wrapping around, until it has
 * found enough accounts with due jobs to fill the batch. Each step is one index lookup. The accounts get equal shares of
 * the batch for their oldest jobs, and unused places go to accounts that have more, in the same order. So every waiting
 * account gets a turn before any account gets its next one. Only claimed jobs are locked.
 *
 * The accounts also share the bytes of an embedding batch equally: an account's jobs end with the text that fills its
 * share. So the short texts of other accounts wait for one long text of an account, not for a batch of them.
 */
const claimSql = (work: Work): string => `
  WITH RECURSIVE walk (account_id, lap) AS (
    SELECT $4::bytea, 0
    UNION ALL
    SELECT coalesce(next.account_id, ''), walk.lap + (next.account_id IS NULL)::int
    FROM walk LEFT JOIN LATERAL (
      SELECT account_id FROM memory_job WHERE ${waiting[work]} AND account_id > walk.account_id
      ORDER BY account_id, run_at LIMIT 1) AS next ON true
    WHERE walk.lap = 0 OR (walk.lap = 1 AND walk.account_id < $4)),
  turn AS (
    SELECT account_id, (row_number() OVER ())::int AS no FROM (
      SELECT account_id FROM walk
      WHERE ((lap = 0 AND account_id > $4) OR (lap = 1 AND account_id <= $4)) AND (
        SELECT true FROM memory_job WHERE account_id = walk.account_id AND ${waiting[work]} AND ${due[work]}
        ORDER BY run_at LIMIT 1)
      LIMIT $3) AS with_due_job),
  shared AS MATERIALIZED (
    SELECT job.id, no, job.run_at, job.size
    FROM turn, LATERAL (
      SELECT id, run_at, size FROM (
        SELECT id, run_at, ${sizeOf[work]} AS size FROM memory_job WHERE account_id = turn.account_id AND ${waiting[work]} AND ${due[work]}
        ORDER BY run_at LIMIT $3 FOR UPDATE SKIP LOCKED) AS oldest
      LIMIT $3 / (SELECT count(*) FROM turn)) AS job),
  rest AS MATERIALIZED (
    SELECT job.id, no, job.run_at, job.size
    FROM turn, LATERAL (
      SELECT id, run_at, ${sizeOf[work]} AS size FROM memory_job WHERE account_id = turn.account_id AND ${waiting[work]} AND ${due[work]}
        AND id NOT IN (SELECT id FROM shared)
      ORDER BY run_at LIMIT $3 FOR UPDATE SKIP LOCKED) AS job
    LIMIT $3 - (SELECT count(*) FROM shared))
  UPDATE memory_job SET stage = CASE WHEN stage = 'indexing' THEN stage ELSE $1 END, lease_token = $2,
    upload_claims = upload_claims + CASE WHEN $1 = 'uploading' THEN 1 ELSE 0 END,
    lease_until = now() + make_interval(secs => ${leaseSeconds})
  FROM (
    SELECT id, no, sum(size) OVER (PARTITION BY no ORDER BY run_at, id) - size AS before
    FROM (SELECT * FROM shared UNION ALL SELECT * FROM rest) AS found) AS picked
  WHERE memory_job.id = picked.id AND before < ${batchBytes} / (SELECT count(*) FROM turn)
  RETURNING ${claimedColumns}, no`;

const claimStatement: Readonly<Record<Work, string>> = {
  embedding: claimSql('embedding'),
  uploading: claimSql('uploading'),
};

/**
 * Takes up to `limit` due jobs and leases them, in turns of the accounts, beginning after the account `after`. An upload
 * is not begun before it has waited `windowMs`. Returns them in the order of their turns.
 */
export async function claimJobs(
  db: Db,
  work: Work,
  limit: number,
  leaseToken: string,
  after: Buffer = Buffer.alloc(0),
  windowMs = 0,
): Promise<ClaimedJob[]> {
  const { rows } = await db.query<ClaimedRow & { no: number }>(
    claimStatement[work],
    [work, leaseToken, limit, after, ...(work === 'uploading' ? [windowMs / 1000] : [])],
    { prepared: true },
  );
  rows.sort((a, b) => a.no - b.no);
  return rows.map((row) => claimedJob(row, leaseToken));
}

/** Counts the waiting jobs of one account or of all. Stops at one above the limit, because a larger count changes nothing. */
export async function countWaiting(db: Db, limit: number, accountId?: Buffer): Promise<number> {
  const ofAccount = accountId ? 'AND account_id = $2' : '';
  const { rows } = await db.query<{ jobs: number }>(
    `SELECT count(*)::int AS jobs FROM (
       (SELECT 1 FROM memory_job WHERE ${waiting.embedding} ${ofAccount} LIMIT $1)
       UNION ALL (SELECT 1 FROM memory_job WHERE ${waiting.uploading} ${ofAccount} LIMIT $1)
       LIMIT $1) AS job`,
    [limit + 1, ...(accountId ? [accountId] : [])],
    { prepared: true },
  );
  return rows[0]!.jobs;
}

/** A claim function that remembers the last account served: each call continues after it. */
export function claimInTurns(
  db: Db,
  work: Work,
  windowMs = 0,
): (limit: number, leaseToken: string) => Promise<ClaimedJob[]> {
  let last: Buffer | undefined;
  return async (limit, leaseToken) => {
    const jobs = await claimJobs(db, work, limit, leaseToken, last, windowMs);
    last = jobs.at(-1)?.accountId ?? last;
    return jobs;
  };
}

export async function extendLeases(db: Db, tokens: readonly string[]): Promise<void> {
  await db.query(
    `UPDATE memory_job SET lease_until = now() + make_interval(secs => ${leaseSeconds})
     WHERE lease_token = ANY($1::uuid[]) AND status = 'running'`,
    [[...tokens]],
  );
}

/** Releases the leases of this process, so that the next start does not have to wait for them to expire. */
export async function releaseLeases(db: Db, tokens: readonly string[]): Promise<void> {
  await db.query(
    'UPDATE memory_job SET lease_until = NULL, lease_token = NULL WHERE lease_token = ANY($1::uuid[])',
    [[...tokens]],
  );
}

/** Seconds between extensions. A lease survives two missed ones. */
export const heartbeatSeconds = leaseSeconds / 3;

/** The embedded database has one process: leases that exist at its start belong to a dead process. */
export async function clearLeases(db: Db): Promise<void> {
  await db.query(
    "UPDATE memory_job SET lease_until = NULL, lease_token = NULL WHERE status = 'running' AND lease_token IS NOT NULL",
  );
}
