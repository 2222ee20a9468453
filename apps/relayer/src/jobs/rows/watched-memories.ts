import type { Db, SqlValue } from '../../base/db/db.ts';

/** A stored or lost memory whose blob is looked for. */
export interface WatchedMemory {
  accountId: Buffer;
  id: string;
  namespace: string;
  blobId: string;
  objectId: string | undefined;
  envelopeId: Buffer | undefined;
  envelopeSha256: Buffer;
  /** The first epoch in which it is not paid for any more; undefined where that is not known */
  endEpoch: number | undefined;
  isLost: boolean;
  /** Since when no aggregator has had it, in ms; undefined when nothing is suspected */
  goneForMs: number | undefined;
}

interface WatchedRow {
  account_id: Buffer;
  id: string;
  namespace: string;
  blob_id: string;
  object_id: string | null;
  envelope_id: Buffer | null;
  envelope_sha256: Buffer;
  end_epoch: number | null;
  state: 'done' | 'lost';
  gone_for: number | null;
}

const columns = (goneFor: string): string => `
  m.account_id, m.id, m.namespace, m.blob_id, m.object_id, m.envelope_id, m.envelope_sha256, m.end_epoch, m.state,
  ${goneFor} AS gone_for`;

const notWatched = `NOT EXISTS (
  SELECT 1 FROM unreadable_memory AS u WHERE u.account_id = m.account_id AND u.memory_id = m.id)`;

/** Suspected or lost memories that are due for another look, those due longest first. */
export function dueForLook(db: Db, state: 'done' | 'lost', limit: number): Promise<WatchedMemory[]> {
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

/** The next stored memories of the walk. What was stored within the hour is believed to be there. */
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
    accountId: row.account_id,
    id: row.id,
    namespace: row.namespace,
    blobId: row.blob_id,
    objectId: row.object_id ?? undefined,
    envelopeId: row.envelope_id ?? undefined,
    envelopeSha256: row.envelope_sha256,
    endEpoch: row.end_epoch ?? undefined,
    isLost: row.state === 'lost',
    goneForMs: row.gone_for === null ? undefined : row.gone_for * 1000,
  }));
}
