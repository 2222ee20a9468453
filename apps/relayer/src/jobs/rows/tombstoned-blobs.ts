import type { StoreObject } from '@memrelay/protocol/sidecar-api';
import type { Db, Queryable } from '../../base/db/db.ts';
import { blobOf } from '../../blobs/blob-of.ts';
import type { ExpiringEnvelope } from './wraps-and-tombstones.ts';

/**
 * Records which blobs on chain may still contain what this transaction has just forgotten: current and former blobs, and
 * those that an upload was about to store.
 */
export async function saveTombstonedBlobs(
  tx: Queryable,
  accountId: Buffer,
  tombstoneId: string,
  memoryIds: readonly string[],
): Promise<void> {
  const { rows } = await tx.query<{ blob_id: string }>(
    `SELECT blob_id FROM forgotten_memory
     WHERE account_id = $1 AND memory_id = ANY($2::uuid[]) AND blob_id IS NOT NULL
     UNION
     SELECT blob_id FROM former_blob WHERE account_id = $1 AND memory_id = ANY($2::uuid[])
     UNION
     SELECT blob_id FROM stray_blob WHERE account_id = $1 AND noted_at = now()`,
    [accountId, [...memoryIds]],
  );
  await tx.query(
    `INSERT INTO buried_blob (account_id, tombstone_id, blob_id) SELECT $1, $2::uuid, unnest($3::text[])
     ON CONFLICT DO NOTHING`,
    [accountId, tombstoneId, [...new Set(rows.map(({ blob_id }) => blobOf(blob_id)))]],
  );
}

/** Blobs that hold something that tombstones of an account forget, by the tombstone's job. */
export async function tombstonedBlobs(
  db: Db,
  accountId: Buffer,
  tombstoneIds: readonly string[],
): Promise<Map<string, string[]>> {
  const { rows } = await db.query<{ tombstone_id: string; blob_id: string }>(
    'SELECT tombstone_id, blob_id FROM buried_blob WHERE account_id = $1 AND tombstone_id = ANY($2::uuid[])',
    [accountId, [...tombstoneIds]],
  );
  const blobs = new Map<string, string[]>();
  for (const { tombstone_id, blob_id } of rows)
    blobs.set(tombstone_id, [...(blobs.get(tombstone_id) ?? []), blob_id]);
  return blobs;
}

/**
 * Those tombstones of one account whose forgotten blobs outlive them, judged by the objects that its owner has now. A
 * tombstone is not checked again once no object of what it forgets is left.
 */
export async function stillNeeded(
  db: Db,
  accountId: Buffer,
  tombstones: readonly ExpiringEnvelope[],
  held: readonly StoreObject[],
  epoch: number,
): Promise<ExpiringEnvelope[]> {
  const ends = new Map<string, number>();
  for (const { blob_id, end_epoch } of held) ends.set(blob_id, Math.max(end_epoch, ends.get(blob_id) ?? 0));
  const ids = tombstones.map(({ jobId }) => jobId);
  const blobs = await tombstonedBlobs(db, accountId, ids);
  const lastEnd = ({ jobId }: ExpiringEnvelope): number =>
    Math.max(0, ...(blobs.get(jobId) ?? []).map((blob) => ends.get(blob) ?? 0));
  const over = tombstones.filter((each) => lastEnd(each) <= epoch).map(({ jobId }) => jobId);
  await db.query('DELETE FROM buried_blob WHERE account_id = $1 AND tombstone_id = ANY($2::uuid[])', [
    accountId,
    over,
  ]);
  await db.query(
    'UPDATE buried_blob SET looked_at = now() WHERE account_id = $1 AND tombstone_id = ANY($2::uuid[])',
    [accountId, ids],
  );
  return tombstones.filter((each) => lastEnd(each) > each.endEpoch);
}
