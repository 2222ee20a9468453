import type { JobStage } from '@memrelay/protocol/memories';
import type { Db } from '../db/db.ts';

/** A job as a worker holds it, until its lease ends. */
export interface ClaimedJob {
  id: string;
  accountId: Buffer;
  owner: string;
  namespace: string;
  /** Failed attempts at this stage so far */
  attempts: number;
  /** Uploads of it that were begun, this one included */
  uploadClaims: number;
  /** What an upload has reached, and by which wallet */
  checkpoint: UploadProgress;
  leaseToken: string;
  outbox: Buffer | null;
  envelope: Buffer;
  textHash: Buffer | undefined;
  /** Another memory keeps its text (settle-duplicate.ts) */
  duplicate: boolean;
}

export interface UploadProgress {
  reached?: string | null;
  /** Who may have paid for it already; null once it is known that another has to */
  wallet?: string | null;
  /** The memory whose blob is stored once more; absent where the job's own is stored */
  renews?: string;
  /** An object that ends before is none: what the renewal is for */
  min_end_epoch?: number;
}

/** How long a lease lasts that is not extended; that of the wallet which pays for a job is as long. */
export const leaseSeconds = 15;

/**
 * Takes up to `limit` due jobs of these stages, oldest first, and leases them. The array is made once: the planner may
 * run an `IN (SELECT … LIMIT)` again for each row, and then takes more than the limit.
 */
export async function claimJobs(
  db: Db,
  stages: readonly JobStage[],
  become: JobStage,
  limit: number,
  leaseToken: string,
): Promise<ClaimedJob[]> {
  const { rows } = await db.query<{
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
  }>(
    `UPDATE memory_job SET stage = CASE WHEN stage = 'indexing' THEN stage ELSE $1 END, lease_token = $2,
       upload_claims = upload_claims + CASE WHEN $1 = 'uploading' THEN 1 ELSE 0 END,
       lease_until = now() + make_interval(secs => ${leaseSeconds})
     WHERE id = ANY (ARRAY(
       SELECT id FROM memory_job
       WHERE status = 'running' AND stage = ANY($3) AND run_at <= now() AND (lease_until IS NULL OR lease_until < now())
       ORDER BY run_at LIMIT $4 FOR UPDATE SKIP LOCKED))
     RETURNING id, account_id, owner, namespace, attempts, upload_claims, checkpoint, outbox, envelope, text_hash,
       duplicate`,
    [become, leaseToken, [...stages], limit],
  );
  return rows.map((row) => ({
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
  }));
}

export async function extendLeases(db: Db, tokens: readonly string[]): Promise<void> {
  await db.query(
    `UPDATE memory_job SET lease_until = now() + make_interval(secs => ${leaseSeconds})
     WHERE lease_token = ANY($1::uuid[]) AND status = 'running'`,
    [[...tokens]],
  );
}

/** Frees the leases of this process, so that the next start need not wait for them to end. */
export async function releaseLeases(db: Db, tokens: readonly string[]): Promise<void> {
  await db.query(
    'UPDATE memory_job SET lease_until = NULL, lease_token = NULL WHERE lease_token = ANY($1::uuid[])',
    [[...tokens]],
  );
}

/** Seconds between extensions, so that two may be missed. */
export const heartbeatSeconds = leaseSeconds / 3;

/** The embedded database has one process: leases that stand at its start belong to a dead one. */
export async function clearLeases(db: Db): Promise<void> {
  await db.query(
    "UPDATE memory_job SET lease_until = NULL, lease_token = NULL WHERE status = 'running' AND lease_token IS NOT NULL",
  );
}
