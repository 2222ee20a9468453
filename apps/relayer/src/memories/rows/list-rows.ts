import type { LostReason } from '@memrelay/protocol/memory-lists';
import type { Db } from '../../base/db/db.ts';
import { successorOf } from '../../jobs/rows/successors.ts';

export interface NamespaceTotals {
  namespace: string;
  memoryCount: number;
  storageBytes: number;
  newest: Date;
  oldest: Date;
}

const totals = (where: string): string => `
  SELECT namespace, count(*)::int AS memory_count, sum(size)::float8 AS storage_bytes,
    max(created_at) AS newest, min(created_at) AS oldest
  FROM memory WHERE account_id = $1 AND state <> 'failed' ${where} GROUP BY namespace`;

const ofAccount = totals('');
const ofNamespaces = totals('AND namespace = ANY($2::text[])');

/**
 * Totals of the stored and pending memories in these namespaces of an account, or in all, by an index-only scan. Sorted by
 * name, in the same order on every database.
 */
export async function readNamespaceTotals(
  db: Db,
  accountId: Buffer,
  namespaces: 'all' | readonly string[],
): Promise<NamespaceTotals[]> {
  const { rows } = await db.query<{
    namespace: string;
    memory_count: number;
    storage_bytes: number;
    newest: Date;
    oldest: Date;
  }>(
    namespaces === 'all' ? ofAccount : ofNamespaces,
    namespaces === 'all' ? [accountId] : [accountId, [...namespaces]],
  );
  return rows
    .map((row) => ({
      namespace: row.namespace,
      memoryCount: row.memory_count,
      storageBytes: row.storage_bytes,
      newest: row.newest,
      oldest: row.oldest,
    }))
    .sort((a, b) => (a.namespace < b.namespace ? -1 : 1));
}

export interface UnfinishedJobs {
  namespace: string;
  status: 'running' | 'failed';
  count: number;
  /** At most 20, the newest */
  ids: string[];
}

/** The account's unfinished jobs, by namespace, including namespaces that have no memory yet. */
export async function readUnfinishedJobs(db: Db, accountId: Buffer): Promise<UnfinishedJobs[]> {
  const { rows } = await db.query<UnfinishedJobs>(
    `SELECT namespace, status, count(*)::int AS count,
       (array_agg(id::text ORDER BY created_at DESC))[1:20] AS ids
     FROM memory_job WHERE account_id = $1 AND status <> 'done' GROUP BY namespace, status`,
    [accountId],
  );
  return rows;
}

/** Number of lost memories in these namespaces, by reason; undefined if there are none. */
export async function countLost(
  db: Db,
  accountId: Buffer,
  namespaces: readonly string[],
): Promise<Partial<Record<LostReason, number>> | undefined> {
  const { rows } = await db.query<{ lost_reason: LostReason; count: number }>(
    `SELECT lost_reason, count(*)::int AS count FROM memory
     WHERE account_id = $1 AND namespace = ANY($2::text[]) AND state = 'lost' GROUP BY lost_reason`,
    [accountId, [...namespaces]],
  );
  if (rows.length === 0) return undefined;
  return Object.fromEntries(rows.map((row) => [row.lost_reason, row.count]));
}

/** Returns the successor of each of these memories that has one, stored or pending. */
export async function supersededBy(
  db: Db,
  accountId: Buffer,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await db.query<{ id: string; successor: string | null }>(
    `SELECT id, ${successorOf('memory', 'true')} AS successor FROM memory
     WHERE account_id = $1 AND id = ANY($2::uuid[])`,
    [accountId, [...ids]],
  );
  return new Map(rows.flatMap(({ id, successor }) => (successor ? [[id, successor]] : [])));
}

export interface StorageEnd {
  /** Storage epoch at whose start these memories expire */
  epoch: number;
  count: number;
  bytes: number;
}

/** The stored memories of these namespaces by the epoch in which they expire, the nearest first; later than `epoch`. */
export async function readEnds(
  db: Db,
  accountId: Buffer,
  namespaces: readonly string[],
  epoch: number,
): Promise<StorageEnd[]> {
  const { rows } = await db.query<StorageEnd>(
    `SELECT end_epoch AS epoch, count(*)::int AS count, sum(size)::float8 AS bytes FROM memory
     WHERE account_id = $1 AND state = 'done' AND end_epoch > $2 AND namespace = ANY($3::text[])
     GROUP BY end_epoch ORDER BY end_epoch`,
    [accountId, epoch, [...namespaces]],
  );
  return rows;
}
