import type { OwnedBlobsResponse } from '@memrelay/protocol/owned-blobs';
import type { Db } from '../../base/db/db.ts';

/** A scan of all blob objects of an owner, which continues from call to call. */
export interface ChainScan {
  owner: string;
  cursor: string | undefined;
  ended: boolean;
  /** When it started, in microseconds: identifies the scan */
  name: string;
}

/** How long calls that continue a restore reuse a finished scan. */
const freshFor = '30 seconds';

const scanColumns = `cursor, ended_at IS NOT NULL AS ended, (extract(epoch FROM started_at) * 1000000)::bigint::text AS name`;

/**
 * Returns the scan that is in progress or has just finished, or starts a new one. A finished scan that started before
 * `since` (by the database's clock) is not reused.
 */
export async function currentScan(
  db: Db,
  accountId: Buffer,
  owner: string,
  since?: Date,
): Promise<ChainScan> {
  const { rows } = await db.query<{ cursor: string | null; ended: boolean; name: string }>(
    `INSERT INTO chain_look AS look (account_id, owner) VALUES ($1, $2)
     ON CONFLICT (account_id) DO UPDATE SET owner = $2, cursor = NULL, started_at = now(), ended_at = NULL
       WHERE look.owner <> $2 OR look.ended_at < now() - interval '${freshFor}'
         OR (look.ended_at IS NOT NULL AND look.started_at < $3::timestamptz)
     RETURNING ${scanColumns}`,
    [accountId, owner, since ?? null],
  );
  const { rows: found } = rows[0]
    ? { rows }
    : await db.query<{ cursor: string | null; ended: boolean; name: string }>(
        `SELECT ${scanColumns} FROM chain_look WHERE account_id = $1`,
        [accountId],
      );
  const { cursor, ended, name } = found[0]!;
  return { owner, cursor: cursor ?? undefined, ended, name };
}

/** When the latest scan started: the chain is known as of then. */
export async function scanStartedAt(db: Db, accountId: Buffer): Promise<Date | undefined> {
  const { rows } = await db.query<{ started_at: Date }>(
    'SELECT started_at FROM chain_look WHERE account_id = $1',
    [accountId],
  );
  return rows[0]?.started_at;
}

/** Whether a scan has left work for a restore of this namespace that no call has tried yet. */
export async function hasUntried(
  db: Db,
  { accountId, tag }: { accountId: Buffer; tag: Buffer },
): Promise<boolean> {
  const { rows } = await db.query<{ untried: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM chain_blob WHERE account_id = $1 AND NOT known AND tried_at IS NULL)
       OR EXISTS (SELECT 1 FROM chain_envelope
         WHERE account_id = $1 AND tag = $2 AND kind IS NULL AND outcome IS NULL AND tried_at IS NULL) AS untried`,
    [accountId, tag],
  );
  return rows[0]!.untried;
}

/**
 * Saves a page of a scan. Of several objects of one blob, keeps the one that lives longest and the earliest
 * certification. Returns false if another call has started a new scan since `look`; the caller then continues with that
 * one.
 */
export async function savePage(
  db: Db,
  accountId: Buffer,
  page: OwnedBlobsResponse,
  look?: Pick<ChainScan, 'name'>,
): Promise<boolean> {
  const live = page.blobs.filter(({ end_epoch }) => end_epoch > page.epoch);
  return db.transaction(async (tx) => {
    // Two calls that read the same pages must not end each other's later scans
    const { rows } = await tx.query<{ name: string }>(
      `SELECT ${scanColumns} FROM chain_look WHERE account_id = $1 FOR UPDATE`,
      [accountId],
    );
    if (look && rows[0]?.name !== look.name) return false;
    for (const { blob_id, object_id, size, end_epoch, certified_epoch } of live)
      await tx.query(
        `INSERT INTO chain_blob AS blob (account_id, blob_id, object_id, size, end_epoch, certified_epoch)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (account_id, blob_id) DO UPDATE SET seen_at = now(),
           object_id = CASE WHEN excluded.end_epoch > blob.end_epoch THEN excluded.object_id ELSE blob.object_id END,
           end_epoch = greatest(blob.end_epoch, excluded.end_epoch),
           certified_epoch = least(blob.certified_epoch, excluded.certified_epoch)`,
        [accountId, blob_id, object_id, size, end_epoch, certified_epoch],
      );
    if (page.cursor !== undefined)
      await tx.query('UPDATE chain_look SET cursor = $2 WHERE account_id = $1', [accountId, page.cursor]);
    else await endScan(tx, accountId);
    return true;
  });
}

/** How long a blob counts as empty of this account's envelopes: one aggregator's word on its first bytes */
const emptyFor = '1 day';

/** Deletes what the scan did not see: it no longer belongs to the owner. */
async function endScan(tx: Pick<Db, 'query'>, accountId: Buffer): Promise<void> {
  await tx.query('UPDATE chain_look SET cursor = NULL, ended_at = now() WHERE account_id = $1', [accountId]);
  await tx.query(
    `WITH gone AS (
       DELETE FROM chain_blob USING chain_look look
       WHERE chain_blob.account_id = $1 AND look.account_id = $1 AND seen_at < look.started_at RETURNING blob_id)
     DELETE FROM chain_envelope USING gone WHERE account_id = $1 AND chain_envelope.blob_id = gone.blob_id`,
    [accountId],
  );
  await tx.query(
    `UPDATE chain_blob SET known = false
     WHERE account_id = $1 AND known AND tried_at < now() - interval '${emptyFor}' AND NOT EXISTS (
       SELECT 1 FROM chain_envelope found WHERE found.account_id = $1 AND found.blob_id = chain_blob.blob_id)`,
    [accountId],
  );
}

export interface UnknownBlob {
  blobId: string;
  size: number;
  /** It could not be read by an earlier call, or there was nothing in it */
  tried: boolean;
}

/** Blobs whose contents are unknown. Those that could not be read come last, and are left out if that was after `before`. */
export async function unknownBlobs(
  db: Db,
  accountId: Buffer,
  before: Date,
  limit: number,
): Promise<UnknownBlob[]> {
  const { rows } = await db.query<{ blob_id: string; size: string; tried: boolean }>(
    `SELECT blob_id, size::text, tried_at IS NOT NULL AS tried FROM chain_blob
     WHERE account_id = $1 AND NOT known AND (tried_at IS NULL OR tried_at < $2)
     ORDER BY tried_at NULLS FIRST, blob_id LIMIT $3`,
    [accountId, before, limit],
  );
  return rows.map(({ blob_id, size, tried }) => ({ blobId: blob_id, size: Number(size), tried }));
}

/** Records that it cannot be read now. */
export async function saveUnreadBlob(db: Db, accountId: Buffer, blobId: string): Promise<void> {
  await db.query('UPDATE chain_blob SET tried_at = now() WHERE account_id = $1 AND blob_id = $2', [
    accountId,
    blobId,
  ]);
}

/** An envelope in a blob. Without `header` when only the index of a quilt has been read. */
export interface FoundEnvelope {
  storedAs: string;
  tag: Buffer;
  envelopeId: Buffer;
  header?: { kind: number; recipientPk: Buffer; wraps: Buffer | undefined };
}

/** Saves which envelopes of the account are in a blob. An empty list holds for a day. */
export async function saveEnvelopes(
  db: Db,
  accountId: Buffer,
  blobId: string,
  envelopes: readonly FoundEnvelope[],
): Promise<void> {
  await db.transaction(async (tx) => {
    for (const { storedAs, tag, envelopeId, header } of envelopes)
      await tx.query(
        `INSERT INTO chain_envelope (account_id, stored_as, blob_id, tag, envelope_id, kind, recipient_pk, wraps)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
        [
          accountId,
          storedAs,
          blobId,
          tag,
          envelopeId,
          header?.kind ?? null,
          header?.recipientPk ?? null,
          header?.wraps ?? null,
        ],
      );
    await tx.query(
      'UPDATE chain_blob SET known = true, tried_at = now() WHERE account_id = $1 AND blob_id = $2',
      [accountId, blobId],
    );
  });
}
