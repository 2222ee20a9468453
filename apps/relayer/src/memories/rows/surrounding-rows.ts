import type { Db } from '../../base/db/db.ts';
import { type MemoryColumns, memoryFields } from '../../jobs/rows/memory-fields.ts';
import type { EnvelopeLocation } from '../reading/read-envelopes.ts';
import { earlier, later } from './context-rows.ts';
import { type FieldColumns, fieldColumns, fieldsOf } from './match-fields.ts';
import { isVisible } from './search-sql.ts';

/** A memory that was stored right before or after another one. */
export interface Surrounding {
  /** Index of the other memory */
  of: number;
  side: 'before' | 'after';
  match: EnvelopeLocation & {
    envelopeId: Buffer | undefined;
    /** Bytes of the envelope */
    size: number;
  } & ReturnType<typeof fieldsOf>;
}

/** The nearest visible memories on one side of `hit`, at most `most`, by the index that lists a namespace. */
const oneSide = (side: Surrounding['side'], { compare, order, limit }: typeof earlier, most: string) => `
  (SELECT id, '${side}' AS side, row_number() OVER (ORDER BY ${order}) AS steps FROM (
    SELECT id, created_at FROM memory
    WHERE account_id = $1 AND namespace = $2 AND state <> 'failed' AND ${isVisible}
      AND (created_at, id) ${compare} (hit.created_at, hit.id) AND created_at ${limit}
    ORDER BY ${order} LIMIT ${most}::int) AS nearest)`;

/**
 * Parameters: 1 account, 2 namespace, 3 ids of the memories, 4 and 5 how many before and after each, 6 whether pending
 * memories count (as in search-sql.ts). Each row is looked up by its key.
 */
const surroundingSql = `
  SELECT (anchor.no - 1)::int AS of, other.side, m.id, m.blob_id, m.envelope_id, m.envelope_sha256, m.size, m.created_at,
    ${fieldColumns('m')}
  FROM unnest($3::text::uuid[]) WITH ORDINALITY AS anchor (id, no),
    LATERAL (SELECT id, created_at FROM memory WHERE account_id = $1 AND id = anchor.id LIMIT 1) AS hit,
    LATERAL (${oneSide('before', earlier, '$4')} UNION ALL ${oneSide('after', later, '$5')}) AS other,
    LATERAL (SELECT * FROM memory WHERE account_id = $1 AND id = other.id LIMIT 1) AS m
  ORDER BY anchor.no, other.steps, other.side DESC`;

/**
 * The memories stored before and after each of these in their namespace, up to `count` on each side and half an hour
 * apart; those of the first memory come first, the nearest of each first.
 */
export async function readSurroundings(
  db: Db,
  { accountId, namespace, includePending }: { accountId: Buffer; namespace: string; includePending: boolean },
  ids: readonly string[],
  count: number,
): Promise<Surrounding[]> {
  const { rows } = await db.query<
    MemoryColumns<'id' | 'blob_id' | 'envelope_id' | 'envelope_sha256' | 'size' | 'created_at'> &
      Pick<Surrounding, 'of' | 'side'> &
      FieldColumns
  >(surroundingSql, [accountId, namespace, `{${ids.join()}}`, count, count, includePending], {
    prepared: true,
  });
  return rows.map((row) => ({
    of: row.of,
    side: row.side,
    match: { ...memoryFields(row), ...fieldsOf(row) },
  }));
}
