import type { Db, Queryable } from '../../base/db/db.ts';
import { blobOf } from '../../blobs/blob-of.ts';
import type { UploadProgress } from './claim-jobs.ts';

/** What the database knows of an account's blobs. Blob ids of 43 characters: a patch is named by its quilt. */
export interface KnownBlobs {
  /** Objects of living or forgotten memories */
  objects: ReadonlySet<string>;
  /** Blobs in use, with the epoch in which each expires; 0 if unknown */
  needed: ReadonlyMap<string, number>;
  /** Blobs of uploads in progress, which find their own objects */
  underWay: ReadonlySet<string>;
  /** Blobs of forgotten memories, no longer in use */
  forgotten: ReadonlySet<string>;
  /** Blobs that an upload was about to store before it was repacked: the memories are stored in another one */
  replaced: ReadonlySet<string>;
}

export interface Stray {
  objectId: string;
  blobId: string;
  reason: 'paid_twice' | 'forgotten';
}

/** Everything that the database knows about an account's blobs. */
export async function readKnownBlobs(db: Db, accountId: Buffer): Promise<KnownBlobs> {
  const { rows: jobs } = await db.query<{
    status: 'running' | 'done' | 'failed';
    kind: number;
    blob_id: string | null;
    checkpoint: UploadProgress;
  }>(
    `SELECT status, kind, blob_id, checkpoint FROM memory_job
     WHERE account_id = $1 AND (kind <> 1 OR upload_claims > 1 OR status <> 'done')`,
    [accountId],
  );
  // Read after the jobs: if a job ends in between, its blob is still in the list of uploads
  const { rows: memories } = await db.query<{
    blob_id: string;
    object_id: string | null;
    end_epoch: number | null;
  }>('SELECT blob_id, object_id, end_epoch FROM memory WHERE account_id = $1 AND blob_id IS NOT NULL', [
    accountId,
  ]);
  const { rows: gone } = await db.query<{ blob_id: string; object_id: string | null }>(
    `SELECT blob_id, object_id FROM forgotten_memory WHERE account_id = $1 AND blob_id IS NOT NULL
     UNION ALL
     SELECT blob_id, NULL FROM stray_blob WHERE account_id = $1`,
    [accountId],
  );
  const needed = new Map<string, number>();
  for (const { blob_id, end_epoch } of memories)
    needed.set(blobOf(blob_id), Math.max(end_epoch ?? 0, needed.get(blobOf(blob_id)) ?? 0));
  for (const { kind, blob_id, checkpoint } of jobs)
    if (kind !== 1 && blob_id && !needed.has(blobOf(blob_id)))
      needed.set(blobOf(blob_id), checkpoint.end_epoch ?? 0);
  return {
    objects: new Set([...memories, ...gone].flatMap(({ object_id }) => object_id ?? [])),
    needed,
    underWay: new Set(
      jobs.flatMap(({ status, checkpoint }) => (status === 'done' ? [] : triedBlobs(checkpoint))),
    ),
    forgotten: new Set(gone.map(({ blob_id }) => blobOf(blob_id))),
    replaced: new Set(
      jobs.flatMap(({ status, checkpoint }) => (status === 'done' ? triedBlobs(checkpoint) : [])),
    ),
  };
}

/** Blobs that the uploads of a job were about to store, or have begun to. */
export function triedBlobs({ blob_id, blob_ids = [] }: UploadProgress): string[] {
  return [...new Set([...blob_ids, ...(blob_id ? [blob_id] : [])])];
}

/** Replaces the account's list with these strays. Returns how many are new, by reason. */
export async function saveStrays(
  db: Db,
  accountId: Buffer,
  strays: readonly Stray[],
): Promise<Record<Stray['reason'], number>> {
  const added = { paid_twice: 0, forgotten: 0 };
  await db.transaction(async (tx) => {
    await tx.query('DELETE FROM stray_object WHERE account_id = $1 AND object_id <> ALL($2::text[])', [
      accountId,
      strays.map(({ objectId }) => objectId),
    ]);
    for (const { objectId, blobId, reason } of strays) {
      const { rowCount } = await tx.query(
        `INSERT INTO stray_object (account_id, object_id, blob_id, reason) VALUES ($1, $2, $3, $4)
         ON CONFLICT (account_id, object_id) DO NOTHING`,
        [accountId, objectId, blobId, reason],
      );
      added[reason] += rowCount;
    }
  });
  return added;
}

/** Objects of an account that its owner may delete, those found first before the others; at most `limit`. */
export async function listStrays(db: Db, accountId: Buffer, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ object_id: string }>(
    'SELECT object_id FROM stray_object WHERE account_id = $1 ORDER BY found_at, object_id LIMIT $2',
    [accountId, limit],
  );
  return rows.map(({ object_id }) => object_id);
}

/**
 * Records which blobs the uploads of deleted jobs were about to store. The job rows are gone, their worker may have
 * crashed, and a publisher may store late.
 */
export async function noteBrokenOff(
  tx: Queryable,
  accountId: Buffer,
  blobIds: readonly string[],
): Promise<void> {
  if (blobIds.length === 0) return;
  await tx.query(
    `INSERT INTO stray_blob (account_id, blob_id) SELECT $1, unnest($2::text[])
     ON CONFLICT (account_id, blob_id) DO UPDATE SET noted_at = now()`,
    [accountId, [...new Set(blobIds)]],
  );
  await tx.query(
    `INSERT INTO stray_look (account_id, due_at) VALUES ($1, ${firstStrayCheck})
     ${notedAgain}`,
    [accountId],
  );
}

/** A slow publisher has usually finished by then. */
export const firstStrayCheck = "now() + interval '30 seconds'";
/** A check that is due stays due, so that repeated problems do not postpone it forever. */
export const notedAgain = `ON CONFLICT (account_id) DO UPDATE
  SET looks = 0, noted_at = now(), due_at = least(stray_look.due_at, excluded.due_at)`;
