import { randomUUID } from 'node:crypto';
import { envelopeKind } from '@memrelay/envelope/header';
import type { Db } from '../../base/db/db.ts';
import {
  type ClaimedJob,
  type ClaimedRow,
  claimedColumns,
  claimedJob,
  free,
  leaseSeconds,
  waiting,
} from './claim-jobs.ts';

/** How many of an account's waiting jobs are considered for one quilt, the oldest first. */
const lookedAt = 10_000;
/** Delay of a job if another worker has jobs of the same quilt, so that one of the two can continue */
const yieldSeconds = 1;

/** A job that waits for its upload. */
interface Companion {
  id: string;
  /** Bytes of its envelope */
  size: number;
  /** Envelope id, hex */
  name: string;
}

/** Jobs that may go with a claimed one: no upload of them was begun, and their envelopes have the same `identity`. */
export async function readCompanions(
  db: Db,
  job: ClaimedJob,
  identity: Buffer,
  limit: number,
): Promise<Companion[]> {
  const { rows } = await db.query<Companion>(
    `SELECT id, length(envelope) AS size, encode(envelope_id, 'hex') AS name FROM (
       SELECT id, namespace, owner, envelope, envelope_id FROM memory_job
       WHERE account_id = $1 AND ${waiting.uploading} AND ${free} AND upload_claims = 0 AND quilt_id IS NULL
         AND NOT duplicate AND kind = ${envelopeKind.memory} AND envelope_id IS NOT NULL
       ORDER BY run_at LIMIT ${lookedAt}) AS fresh
     WHERE namespace = $2 AND owner = $3 AND substring(envelope FROM 17 FOR 56) = $4
       AND envelope_id <> (SELECT envelope_id FROM memory_job WHERE id = $6) LIMIT $5`,
    [job.accountId, job.namespace, job.owner, identity, limit, job.id],
  );
  return rows;
}

/** In one statement, so that when two relayers choose the same jobs each job ends up in one quilt. */
export async function packQuilt(db: Db, job: ClaimedJob, chosen: readonly string[]): Promise<ClaimedJob[]> {
  const quiltId = randomUUID();
  const { rows } = await db.query<ClaimedRow>(
    `UPDATE memory_job SET quilt_id = $1, stage = 'uploading', lease_token = $2, upload_claims = 1,
       lease_until = now() + make_interval(secs => ${leaseSeconds})
     WHERE status = 'running' AND quilt_id IS NULL AND (
       (id = $3 AND lease_token = $2) OR (id = ANY($4::uuid[]) AND upload_claims = 0 AND ${free}))
     RETURNING ${claimedColumns}`,
    [quiltId, job.leaseToken, job.id, [...chosen]],
  );
  if (rows.length > 1) return sorted(rows, job.leaseToken);
  await db.query('UPDATE memory_job SET quilt_id = NULL WHERE quilt_id = $1', [quiltId]);
  return rows.length === 0 || rows[0]!.id !== job.id ? [] : [job];
}

/** Takes all jobs of a quilt or none: its bytes, and so its id, depend on all its members. */
export function takeQuilt(db: Db, job: ClaimedJob, quiltId: string): Promise<ClaimedJob[]> {
  return db.transaction(async (tx) => {
    const { rows: members } = await tx.query<{ id: string; taken: boolean }>(
      `SELECT id, NOT ${free} AND lease_token <> $2 AS taken FROM memory_job
       WHERE quilt_id = $1 AND status = 'running' ORDER BY id FOR UPDATE`,
      [quiltId, job.leaseToken],
    );
    if (members.some(({ taken }) => taken)) {
      await tx.query(
        `UPDATE memory_job SET lease_token = NULL, lease_until = NULL, upload_claims = upload_claims - 1,
           run_at = now() + make_interval(secs => ${yieldSeconds}) WHERE id = $1 AND lease_token = $2`,
        [job.id, job.leaseToken],
      );
      return [];
    }
    const { rows } = await tx.query<ClaimedRow>(
      `UPDATE memory_job SET lease_token = $2, lease_until = now() + make_interval(secs => ${leaseSeconds}),
         upload_claims = $3, stage = CASE WHEN stage = 'indexing' THEN stage ELSE 'uploading' END
       WHERE quilt_id = $1 AND status = 'running' RETURNING ${claimedColumns}`,
      [quiltId, job.leaseToken, job.uploadClaims],
    );
    return sorted(rows, job.leaseToken);
  });
}

/** The same job of a quilt always comes first: alerts and logs name it. */
function sorted(rows: ClaimedRow[], leaseToken: string): ClaimedJob[] {
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1)).map((row) => claimedJob(row, leaseToken));
}
