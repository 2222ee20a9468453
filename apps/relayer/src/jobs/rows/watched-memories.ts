import type { Db, SqlValue } from '../../base/db/db.ts';
import { type MemoryColumns, memoryFields } from './memory-fields.ts';

/** A stored or lost memory whose blob the relayer checks for. */
export interface WatchedMemory {
  accountId: Buffer;
  id: string;
  namespace: string;
  blobId: string;
  objectId: string | undefined;
  envelopeId: Buffer | undefined;
  envelopeSha256: Buffer;
  /** First epoch in which its storage is no longer paid for; undefined if unknown */
  endEpoch: number | undefined;
  isLost: boolean;
  /** Milliseconds since no aggregator has had it; undefined if it is not suspected */
  goneForMs: number | undefined;
}

type WatchedRow = MemoryColumns<
  | 'account_id'
  | 'id'
  | 'namespace'
  | 'blob_id'
  | 'object_id'
  | 'envelope_id'
  | 'envelope_sha256'
  | 'end_epoch',
  'blob_id'
> & { state: 'done' | 'lost'; gone_for: number | null };

const columns = (goneFor: string): string => `
  m.account_id, m.id, m.namespace, m.blob_id, m.object_id, m.envelope_id, m.envelope_sha256, m.end_epoch, m.state,
  ${goneFor} AS gone_for`;

const notWatched = `NOT EXISTS (
  SELECT 1 FROM unreadable_memory AS u WHERE u.account_id = m.account_id AND u.memory_id = m.id)`;

/** Suspected or lost memories that are due for another check, the longest overdue first. */
export function dueForCheck(db: Db, state: 'done' | 'lost', limit: number): Promise<WatchedMemory[]> {
  return watched(
    db,
    `SELECT ${columns('extract(epoch FROM now() - u.since)::float8 * (u.aggregators > 0)::int')}
     FROM unreadable_memory AS u JOIN memory AS m ON m.account_id = u.account_id AND m.id = u.memory_id
     WHERE u.next_look <= now() AND m.state = $1 AND m.blob_id IS NOT NULL ORDER BY u.next_look LIMIT $2`,
    [state, limit],
  );
}

/** Stored memories that are no longer paid for in this epoch and are not suspected yet. */
export function timeIsOver(db: Db, epoch: number, limit: number): Promise<WatchedMemory[]> {
  return watched(
    db,
    `SELECT ${columns('NULL::float8')} FROM memory AS m
     WHERE m.state = 'done' AND m.end_epoch <= $1 AND m.blob_id IS NOT NULL AND ${notWatched}
     ORDER BY m.end_epoch LIMIT $2`,
    [epoch, limit],
  );
}

/** The position of a walk through all stored memories: after this one, in the order of the primary key. */
export type WalkPosition = Pick<WatchedMemory, 'accountId' | 'id'>;

export const walkBegin: WalkPosition = {
  accountId: Buffer.alloc(0),
  id: '00000000-0000-0000-0000-000000000000',
};

/** The next stored memories of the walk, except those stored within the last hour. */
export function nextOfWalk(db: Db, after: WalkPosition, limit: number): Promise<WatchedMemory[]> {
  return watched(
    db,
    `SELECT ${columns('NULL::float8')} FROM memory AS m
     WHERE (m.account_id, m.id) > ($1::bytea, $2::uuid) AND m.state = 'done' AND m.blob_id IS NOT NULL
       AND m.created_at < now() - interval '1 hour' AND ${notWatched}
     ORDER BY m.account_id, m.id LIMIT $3`,
    [after.accountId, after.id, limit],
  );
}

async function watched(db: Db, sql: string, parameters: SqlValue[]): Promise<WatchedMemory[]> {
  const { rows } = await db.query<WatchedRow>(sql, parameters);
  return rows.map((row) => ({
    ...memoryFields(row),
    isLost: row.state === 'lost',
    goneForMs: row.gone_for === null ? undefined : row.gone_for * 1000,
  }));
}
