import type { JobStage } from '@memrelay/protocol/memories';
import type { Queryable, SqlValue } from '../db/db.ts';
import { type IdempotencyRow, idempotencyHours } from './idempotency.ts';
import { chunkParameters, insertVectors, type VectorInfo } from './vector-rows.ts';

/** A job to be accepted: the envelope is final, the text (if any) is sealed for the outbox. */
export interface NewJob {
  id: string;
  accountId: Buffer;
  owner: string;
  namespace: string;
  delegatePk: Buffer;
  /** Sealed text, wiped once embedded; absent when the vector is there already */
  outbox: Buffer | undefined;
  envelope: Buffer;
  envelopeId: Buffer | undefined;
  envelopeSha256: Buffer;
  importance: number;
}

const jobColumns = [
  ['id', 'uuid'],
  ['account_id', 'bytea'],
  ['owner', 'text'],
  ['namespace', 'text'],
  ['delegate_pk', 'bytea'],
  ['stage', 'text'],
  ['outbox', 'bytea'],
  ['envelope', 'bytea'],
  ['envelope_id', 'bytea'],
  ['envelope_sha256', 'bytea'],
  ['importance', 'real'],
] as const;

/** A key that is still remembered is left alone; one past its time is as good as none. */
const keepIdempotencyKey = `
  INSERT INTO idempotency (account_id, delegate_pk, route, key_hash, body_hash, answer) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (account_id, delegate_pk, route, key_hash) DO UPDATE
    SET body_hash = excluded.body_hash, answer = excluded.answer, created_at = now()
    WHERE idempotency.created_at < now() - make_interval(hours => ${idempotencyHours})
  RETURNING 1`;

/**
 * Accepts jobs in one statement, together with the idempotency key they came with. Returns false, and has written
 * nothing, when the key was used before.
 */
export async function insertJobs(
  tx: Queryable,
  jobs: readonly NewJob[],
  stage: 'queued' | 'uploading',
  key?: IdempotencyRow,
): Promise<boolean> {
  const keyValues = key
    ? [key.accountId, key.delegatePk, key.route, key.keyHash, key.bodyHash, key.answer]
    : [];
  let next = keyValues.length;
  const places = jobs.map(() => `(${jobColumns.map(([, type]) => `$${++next}::${type}`).join(', ')})`);
  const names = jobColumns.map(([name]) => name).join(', ');
  const { rowCount } = await tx.query(
    `${key ? `WITH kept AS (${keepIdempotencyKey})` : ''}
     INSERT INTO memory_job (${names}) SELECT * FROM (VALUES ${places.join(', ')}) AS job (${names})
     ${key ? 'WHERE EXISTS (SELECT 1 FROM kept)' : ''}`,
    [...keyValues, ...jobs.flatMap((job) => jobValues(job, stage))],
  );
  return rowCount > 0;
}

function jobValues(job: NewJob, stage: JobStage): SqlValue[] {
  return [
    job.id,
    job.accountId,
    job.owner,
    job.namespace,
    job.delegatePk,
    stage,
    job.outbox ?? null,
    job.envelope,
    job.envelopeId ?? null,
    job.envelopeSha256,
    job.importance,
  ];
}

/** A memory whose vector the client sent: it needs no embedding and waits for its upload. */
export async function insertManualMemory(
  tx: Queryable,
  jobId: string,
  info: VectorInfo,
  vector: Float32Array,
): Promise<void> {
  const { places, values } = chunkParameters([{ no: 0, vector }], 4);
  await tx.query(
    `WITH job AS (SELECT * FROM memory_job WHERE id = $1),
     memory AS (
       INSERT INTO memory (account_id, id, namespace, state, envelope_id, envelope_sha256, size, importance, created_at)
       SELECT account_id, id, namespace, 'pending', envelope_id, envelope_sha256, length(envelope), importance, created_at
       FROM job)
     ${insertVectors(places)}`,
    [jobId, info.model, info.keyId, ...values],
  );
}
