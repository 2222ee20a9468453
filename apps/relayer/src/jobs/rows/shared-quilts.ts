import type { Db } from '../../base/db/db.ts';
import { patchIdLength } from './forgotten-objects.ts';

/** An object that holds both forgotten and living memories. */
export interface SharedQuilt {
  accountId: Buffer;
  objectId: string;
}

/** A memory that is to leave its quilt. */
export interface Survivor {
  accountId: Buffer;
  id: string;
  blobId: string;
  envelopeSha256: Buffer;
}

const living = `
  memory.account_id = forgotten_memory.account_id AND memory.object_id = forgotten_memory.object_id
  AND length(memory.blob_id) = ${patchIdLength} AND memory.state = 'done'`;

export async function sharedQuiltsWait(db: Db): Promise<boolean> {
  const { rows } = await db.query('SELECT 1 FROM forgotten_memory WHERE shared LIMIT 1');
  return rows.length > 0;
}

/**
 * Marks objects without living memories for deletion, and lists them for a day as if they were forgotten now, because
 * repacking may have taken longer than a day. Returns how many.
 */
export async function releaseQuilts(db: Db): Promise<number> {
  const { rowCount } = await db.query(
    `UPDATE forgotten_memory SET shared = false, forgotten_at = now()
     WHERE shared AND NOT EXISTS (SELECT 1 FROM memory WHERE ${living})`,
  );
  return rowCount;
}

/** Delay before the living memories of a quilt are repacked, in milliseconds after one of its memories was forgotten. */
export interface RepackTimes {
  /** If at least half is forgotten: repacking then never stores more than was forgotten */
  halfGoneMs: number;
  /** Any */
  atLatestMs: number;
}

/** Quilts that are due for repacking, except some; the longest waiting first. */
export async function sharedQuilts(
  db: Db,
  { halfGoneMs, atLatestMs }: RepackTimes,
  limit: number,
  without: Iterable<string> = [],
): Promise<SharedQuilt[]> {
  const { rows } = await db.query<{ account_id: Buffer; object_id: string }>(
    `SELECT account_id, object_id FROM forgotten_memory
     WHERE shared AND object_id <> ALL($4::text[])
     GROUP BY account_id, object_id
     HAVING min(forgotten_at) <= now() - make_interval(secs => $1)
       OR min(forgotten_at) <= now() - make_interval(secs => $2)
         AND count(*) >= (SELECT count(*) FROM memory WHERE ${living})
     ORDER BY min(forgotten_at) LIMIT $3`,
    [atLatestMs / 1000, halfGoneMs / 1000, limit, [...without]],
  );
  return rows.map((row) => ({ accountId: row.account_id, objectId: row.object_id }));
}

/** Since when the account's most recent quilt with a forgotten memory has been waiting; undefined when there is none. */
export async function sharedSince(db: Db, accountId: Buffer): Promise<Date | undefined> {
  const { rows } = await db.query<{ since: Date | null }>(
    `SELECT max(since) AS since FROM (
       SELECT min(forgotten_at) AS since FROM forgotten_memory WHERE account_id = $1 AND shared GROUP BY object_id) AS quilt`,
    [accountId],
  );
  return rows[0]!.since ?? undefined;
}

/** Memories in an object that no job is storing again now, or has tried to store in the last hour. */
export async function survivorsOf(db: Db, { accountId, objectId }: SharedQuilt): Promise<Survivor[]> {
  const { rows } = await db.query<{ id: string; blob_id: string; envelope_sha256: Buffer }>(
    `SELECT id, blob_id, envelope_sha256 FROM memory
     WHERE account_id = $1 AND object_id = $2 AND length(blob_id) = ${patchIdLength} AND state = 'done'
       AND NOT EXISTS (
         SELECT 1 FROM memory_job
         WHERE memory_job.account_id = $1 AND checkpoint ->> 'renews' IS NOT NULL
           AND checkpoint ->> 'renews' = memory.id::text
           AND (status = 'running' OR status = 'failed' AND updated_at > now() - interval '1 hour'))`,
    [accountId, objectId],
  );
  return rows.map((row) => ({
    accountId,
    id: row.id,
    blobId: row.blob_id,
    envelopeSha256: row.envelope_sha256,
  }));
}
