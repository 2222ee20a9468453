import type { OwnedBlobsResponse } from '@memrelay/protocol/owned-blobs';
import type { Db } from '../db/db.ts';

/** A look through all blob objects of an owner; it goes on from call to call. */
export interface Look {
  owner: string;
  cursor: string | undefined;
  ended: boolean;
}

/** How long a look that is through counts as up to date: calls that follow each other make one look. */
const freshFor = '30 seconds';

/** The look that is under way, or was through a moment ago; else a new one from the start. */
export async function currentLook(db: Db, accountId: Buffer, owner: string): Promise<Look> {
  const { rows } = await db.query<{ cursor: string | null; ended: boolean }>(
    `INSERT INTO chain_look AS look (account_id, owner) VALUES ($1, $2)
     ON CONFLICT (account_id) DO UPDATE SET owner = $2, cursor = NULL, started_at = now(), ended_at = NULL
       WHERE look.owner <> $2 OR look.ended_at < now() - interval '${freshFor}'
     RETURNING cursor, ended_at IS NOT NULL AS ended`,
    [accountId, owner],
  );
  if (rows[0]) return { owner, cursor: undefined, ended: false };
  const { rows: found } = await db.query<{ cursor: string | null; ended: boolean }>(
    'SELECT cursor, ended_at IS NOT NULL AS ended FROM chain_look WHERE account_id = $1',
    [accountId],
  );
  return { owner, cursor: found[0]?.cursor ?? undefined, ended: found[0]?.ended ?? false };
}

/** Notes a page. Of several objects of one blob the one that lives longest counts, and the time of the earliest. */
export async function savePage(db: Db, accountId: Buffer, page: OwnedBlobsResponse): Promise<void> {
  const live = page.blobs.filter(({ end_epoch }) => end_epoch > page.epoch);
  await db.transaction(async (tx) => {
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
    else await endLook(tx, accountId);
  });
}

/** How long it counts that a blob holds nothing of the account: that was one aggregator's word on its first bytes. */
const emptyFor = '1 day';

/** What the look did not see any more is not the owner's, or not any longer. */
async function endLook(tx: Pick<Db, 'query'>, accountId: Buffer): Promise<void> {
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

/** Blobs that nobody has looked into; those that could not be read come last, and not if that was after `before`. */
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

/** It cannot be read now. */
export async function saveUnread(db: Db, accountId: Buffer, blobId: string): Promise<void> {
  await db.query('UPDATE chain_blob SET tried_at = now() WHERE account_id = $1 AND blob_id = $2', [
    accountId,
    blobId,
  ]);
}

/** An envelope in a blob; what only its header tells is absent for one that a quilt's index names. */
export interface FoundEnvelope {
  storedAs: string;
  tag: Buffer;
  envelopeId: Buffer;
  header?: { kind: number; recipientPk: Buffer; wraps: Buffer | undefined };
}

/** From now on it is known what is in the blob: these envelopes of the account; or, for a day, none. */
export async function saveKnown(
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
