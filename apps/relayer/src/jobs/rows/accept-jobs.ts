import { type EnvelopeKind, envelopeKind } from '@memrelay/envelope/header';
import type { JobStage } from '@memrelay/protocol/memories';
import type { Queryable, SqlValue } from '../../base/db/db.ts';
import { type ContextColumns, contextValues, noContext } from '../../index/context-tokens.ts';
import { chunkParameters, insertVectors, type VectorInfo } from '../../index/vector-rows.ts';
import { type IdempotencyRow, idempotencyHours } from './idempotency-rows.ts';

/** A job to be accepted: the envelope is final, the text (if any) is sealed for the outbox. */
export interface NewJob {
  id: string;
  accountId: Buffer;
  owner: string;
  namespace: string;
  delegatePk: Buffer;
  /** Sealed text, wiped once embedded; absent if the vector already exists */
  outbox: Buffer | undefined;
  envelope: Buffer;
  envelopeId: Buffer | undefined;
  envelopeSha256: Buffer;
  importance: number;
  /** Absent if the memory is not deduplicated */
  textHash?: Buffer | undefined;
  /** Kind of the envelope; default: memory */
  kind?: EnvelopeKind;
  /** When it was first written, if it was imported or restored */
  writtenAt?: Date;
  /** Tokens of its context fields; none by default */
  context?: ContextColumns;
  /** Imported vectors of its text, mapped and joined (bundles/bare-vectors.ts); used instead of embedding if the model is current */
  imported?: { model: string; vectors: Buffer };
}

export const jobColumns = [
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
  ['text_hash', 'bytea'],
  ['kind', 'smallint'],
  ['written_at', 'timestamptz'],
  ['given_vectors', 'bytea'],
  ['given_model', 'text'],
  ['context_tokens', 'bytea'],
  ['tag_tokens', 'text::bigint[]'],
  ['expires_at', 'timestamptz'],
] as const;

/** Keeps an unexpired key and replaces an expired one. */
export const idempotencyConflict = `
  ON CONFLICT (account_id, delegate_pk, route, key_hash) DO UPDATE
    SET body_hash = excluded.body_hash, answer = excluded.answer, created_at = now()
    WHERE idempotency.created_at < now() - make_interval(hours => ${idempotencyHours})`;
const keepIdempotencyKey = `
  INSERT INTO idempotency (account_id, delegate_pk, route, key_hash, body_hash, answer) VALUES ($1, $2, $3, $4, $5, $6)
  ${idempotencyConflict} RETURNING 1`;

/**
 * Accepts jobs in one statement, together with the idempotency key they came with. Returns false, and has written
 * nothing, when the key was used before. The first job of a text keeps it, whichever relayer accepts it; the others are its
 * duplicates. Texts are locked in one order, so that two bulks cannot deadlock.
 */
export async function insertJobs(
  tx: Queryable,
  jobs: readonly NewJob[],
  stage: 'queued' | 'uploading',
  key?: IdempotencyRow,
): Promise<boolean> {
  const keyValues = key ? keyValuesOf(key) : [];
  let next = keyValues.length;
  const placeholders = jobs.map(() => `(${jobColumns.map(([, type]) => `$${++next}::${type}`).join(', ')})`);
  const names = jobColumns.map(([name]) => name).join(', ');
  const { rowCount } = await tx.query(
    `WITH ${key ? `kept AS (${keepIdempotencyKey}),` : ''}
     job (${names}) AS (
       SELECT * FROM (VALUES ${placeholders.join(', ')}) AS given ${key ? 'WHERE EXISTS (SELECT 1 FROM kept)' : ''}),
     first AS (
       INSERT INTO known_text (account_id, text_hash, memory_id)
       SELECT account_id, text_hash, id FROM job WHERE text_hash IS NOT NULL ORDER BY text_hash
       ON CONFLICT (account_id, text_hash) DO NOTHING RETURNING memory_id)
     INSERT INTO memory_job (${names}, duplicate)
     SELECT ${names}, text_hash IS NOT NULL AND NOT EXISTS (SELECT 1 FROM first WHERE memory_id = job.id) FROM job`,
    [...keyValues, ...jobs.flatMap((job) => jobValues(job, stage))],
  );
  return rowCount > 0;
}

export function jobValues(job: NewJob, stage: JobStage): SqlValue[] {
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
    job.textHash ?? null,
    job.kind ?? envelopeKind.memory,
    job.writtenAt ?? null,
    job.imported?.vectors ?? null,
    job.imported?.model ?? null,
    ...contextValues(job.context ?? noContext),
  ];
}

/** Stores the response of a write that created no job. Returns false if the key was used before. */
export async function insertKey(tx: Queryable, key: IdempotencyRow): Promise<boolean> {
  const { rowCount } = await tx.query(keepIdempotencyKey, keyValuesOf(key));
  return rowCount > 0;
}

function keyValuesOf(key: IdempotencyRow): SqlValue[] {
  return [key.accountId, key.delegatePk, key.route, key.keyHash, key.bodyHash, key.answer];
}

/** A memory whose vectors the client sent, in the order of its pieces: it needs no embedding and waits for its upload. */
export async function insertManualMemory(
  tx: Queryable,
  jobId: string,
  info: VectorInfo,
  ...vectors: readonly Float32Array[]
): Promise<void> {
  const { placeholders, values } = chunkParameters(
    vectors.map((vector, no) => ({ no, vector })),
    4,
  );
  await tx.query(
    `WITH job AS (SELECT * FROM memory_job WHERE id = $1),
     memory AS (
       INSERT INTO memory (account_id, id, namespace, state, envelope_id, envelope_sha256, size, importance, created_at)
       SELECT account_id, id, namespace, 'pending', envelope_id, envelope_sha256, length(envelope), importance, created_at
       FROM job)
     ${insertVectors(placeholders)}`,
    [jobId, info.model, info.keyId, ...values],
  );
}
