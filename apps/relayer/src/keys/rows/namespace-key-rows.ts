import type { Db } from '../../base/db/db.ts';
import { hexToBytes } from '../../base/db/hex.ts';

export interface NamespaceKeyRow {
  recipientPk: Buffer;
  wraps: Buffer;
  mac: Buffer;
}

/** Identifies a key pair; the table has at most one row for each. */
export interface KeySlot {
  accountId: string;
  tag: Uint8Array;
  keyEpoch: number;
  /** Id of the key-server set */
  set: string;
  period: number;
}

function columnsOf({ accountId, tag, keyEpoch, set, period }: KeySlot): (Buffer | string | number)[] {
  return [hexToBytes(accountId), Buffer.from(tag), keyEpoch, set, period];
}

/** Does nothing if the row exists already. */
export async function insertNamespaceKey(db: Db, slot: KeySlot, row: NamespaceKeyRow): Promise<void> {
  await db.query(
    `INSERT INTO namespace_key (account_id, tag, key_epoch, server_set, period, recipient_pk, wraps, mac)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
    [...columnsOf(slot), row.recipientPk, row.wraps, row.mac],
  );
}

export async function readNamespaceKey(db: Db, slot: KeySlot): Promise<NamespaceKeyRow | undefined> {
  const { rows } = await db.query<{ recipient_pk: Buffer; wraps: Buffer; mac: Buffer }>(
    `SELECT recipient_pk, wraps, mac FROM namespace_key
     WHERE account_id = $1 AND tag = $2 AND key_epoch = $3 AND server_set = $4 AND period = $5`,
    columnsOf(slot),
  );
  const row = rows[0];
  return row && { recipientPk: row.recipient_pk, wraps: row.wraps, mac: row.mac };
}

/** The key pair of an opened envelope. */
export interface OpenedPair {
  accountId: Buffer;
  tag: Buffer;
  keyEpoch: number;
  recipientPk: Buffer;
  wraps: Buffer;
}

/** False if the pair was already marked, or its row has other wraps. */
export async function markVerified(db: Db, pair: OpenedPair): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE namespace_key SET verified_at = now()
     WHERE account_id = $1 AND tag = $2 AND key_epoch = $3 AND recipient_pk = $4 AND wraps = $5
       AND verified_at IS NULL`,
    [pair.accountId, pair.tag, pair.keyEpoch, pair.recipientPk, pair.wraps],
  );
  return rowCount > 0;
}
