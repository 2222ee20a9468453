import type { Db, SqlValue } from '../../base/db/db.ts';
import { maxPreparedRows, preparedRows } from '../../base/db/row-counts.ts';
import { idempotencyConflict, jobColumns, jobValues, type NewJob } from './accept-jobs.ts';
import type { IdempotencyRow } from './idempotency-rows.ts';

/** One write of one memory: its job, with the idempotency key it came with. */
export interface SingleWrite {
  job: NewJob;
  key: IdempotencyRow | undefined;
}

const keyColumns = [
  ['route', 'text'],
  ['key_hash', 'bytea'],
  ['body_hash', 'bytea'],
  ['answer', 'bytea'],
] as const;
const columns = [...jobColumns, ...keyColumns];
const noRow: readonly SqlValue[] = columns.map(() => null);

export const maxGroup = maxPreparedRows;
const statements = new Map<number, string>();

function statementFor(size: number): string {
  let next = 0;
  const rows = Array.from({ length: size }, (_, no) => {
    const values = columns.map(([, type]) => `$${++next}::${type}`);
    return `(${no}, ${values.join(', ')})`;
  });
  const names = jobColumns.map(([name]) => name).join(', ');
  return `WITH given (no, ${columns.map(([name]) => name).join(', ')}) AS (VALUES ${rows.join(', ')}),
     kept AS (
       INSERT INTO idempotency (account_id, delegate_pk, route, key_hash, body_hash, answer)
       SELECT account_id, delegate_pk, route, key_hash, body_hash, answer FROM given
       WHERE key_hash IS NOT NULL ORDER BY key_hash
       ${idempotencyConflict}
       RETURNING account_id, delegate_pk, route, key_hash),
     job AS (
       SELECT * FROM given WHERE id IS NOT NULL AND (key_hash IS NULL
         OR (account_id, delegate_pk, route, key_hash) IN (SELECT account_id, delegate_pk, route, key_hash FROM kept))),
     first AS (
       INSERT INTO known_text (account_id, text_hash, memory_id)
       SELECT account_id, text_hash, id FROM job WHERE text_hash IS NOT NULL ORDER BY text_hash, no
       ON CONFLICT (account_id, text_hash) DO NOTHING RETURNING memory_id)
     INSERT INTO memory_job (${names}, duplicate)
     SELECT ${names}, text_hash IS NOT NULL AND NOT EXISTS (SELECT 1 FROM first WHERE memory_id = job.id)
     FROM job ORDER BY no
     RETURNING id`;
}

/**
 * Accepts up to `maxGroup` writes in one statement, as if each came on its own, in their order: all of them or, if it
 * throws, none. Their idempotency keys must differ. Returns the ids of the jobs, without those whose key was used
 * before. Keys and texts are locked in one order, so that two groups cannot deadlock.
 */
export async function insertSingles(db: Db, writes: readonly SingleWrite[]): Promise<Set<string>> {
  const size = preparedRows(writes.length)!;
  const statement = statements.get(size) ?? statementFor(size);
  statements.set(size, statement);
  const values = writes.flatMap(({ job, key }) => [
    ...jobValues(job, 'queued'),
    key?.route ?? null,
    key?.keyHash ?? null,
    key?.bodyHash ?? null,
    key?.answer ?? null,
  ]);
  for (let i = writes.length; i < size; i++) values.push(...noRow);
  const { rows } = await db.query<{ id: string }>(statement, values, { prepared: true });
  return new Set(rows.map(({ id }) => id));
}
