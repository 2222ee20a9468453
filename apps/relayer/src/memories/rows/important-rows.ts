import type { Db } from '../../base/db/db.ts';
import { type MemoryColumns, memoryFields } from '../../jobs/rows/memory-fields.ts';
import { successorOf } from '../../jobs/rows/successors.ts';
import { isVisible } from './search-sql.ts';
import type { VersionRow } from './version-rows.ts';

/** Number of newest memories among which the most important ones are looked for */
const newest = 1_000;

/**
 * Parameters: 1 account, 2 namespace, 3 how many, 4 maximum size in bytes, 5 among how many of the newest, 6 whether
 * pending memories count (as in search-sql.ts). Each row is looked up by its key alone: with a condition on its state, a planner
 * without statistics would use an index of stored memories, which reads the account for each row.
 */
const importantSql = `
  SELECT id, state, blob_id, envelope_id, envelope_sha256, size, created_at FROM (
    SELECT m.* FROM (
      SELECT id FROM memory WHERE account_id = $1 AND namespace = $2 AND state <> 'failed'
      ORDER BY created_at DESC, id DESC LIMIT $5::int) AS newest,
      LATERAL (SELECT * FROM memory WHERE account_id = $1 AND id = newest.id LIMIT 1) AS m
    WHERE ${isVisible} AND m.size <= $4 AND ${successorOf('m', '$6')} IS NULL) AS current
  ORDER BY importance DESC, created_at DESC, id LIMIT $3::int`;

/** The most important of the newest memories of a namespace that no other one replaces, each at most `maxSize` bytes. */
export async function readImportant(
  db: Db,
  { accountId, namespace, includePending }: { accountId: Buffer; namespace: string; includePending: boolean },
  limit: number,
  maxSize: number,
): Promise<VersionRow[]> {
  const { rows } = await db.query<
    MemoryColumns<'id' | 'blob_id' | 'envelope_id' | 'envelope_sha256' | 'size' | 'created_at'> &
      Pick<VersionRow, 'state'>
  >(importantSql, [accountId, namespace, limit, maxSize, newest, includePending], { prepared: true });
  return rows.map((row) => ({ ...memoryFields(row), state: row.state }));
}
