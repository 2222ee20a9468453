import type { Db } from '../../base/db/db.ts';

/** A key pair that this relayer made for a namespace, or recognized as its own in a restore. */
export interface NamespaceKeyRow {
  /** 32 hex digits */
  tag: string;
  keyEpoch: number;
  /** Id of the key servers that it is wrapped for */
  serverSet: string;
  /** 64 hex digits */
  recipientPk: string;
  /** In the encoding of a column (`decodeColumn`) */
  wraps: Buffer;
}

/** All pairs of an account, in the order of their public keys. */
export async function readNamespaceKeys(db: Db, accountId: Buffer): Promise<NamespaceKeyRow[]> {
  const { rows } = await db.query<{
    tag: Buffer;
    key_epoch: string;
    server_set: string;
    recipient_pk: Buffer;
    wraps: Buffer;
  }>(
    `SELECT tag, key_epoch, server_set, recipient_pk, wraps FROM namespace_key
     WHERE account_id = $1 ORDER BY recipient_pk`,
    [accountId],
  );
  return rows.map((row) => ({
    tag: row.tag.toString('hex'),
    keyEpoch: Number(row.key_epoch),
    serverSet: row.server_set,
    recipientPk: row.recipient_pk.toString('hex'),
    wraps: row.wraps,
  }));
}

/**
 * Returns a test for whether a public key is one of the pairs that this relayer made for a namespace, or recognized as its
 * own in a restore. An envelope sealed to any other key was encrypted by a client, and the relayer must not send its text
 * to a provider.
 */
export async function ownKeys(
  db: Db,
  accountId: Buffer,
  tag: Uint8Array,
): Promise<(recipientPk: Uint8Array) => boolean> {
  const { rows } = await db.query<{ recipient_pk: Buffer }>(
    'SELECT recipient_pk FROM namespace_key WHERE account_id = $1 AND tag = $2',
    [accountId, Buffer.from(tag)],
  );
  const own = new Set(rows.map(({ recipient_pk }) => recipient_pk.toString('hex')));
  return (recipientPk) => own.has(Buffer.from(recipientPk).toString('hex'));
}

/**
 * Returns the envelope ids (32 hex digits) that this account has never used. Reusing the id of a deleted memory would make
 * its tombstone delete the new one.
 */
export async function unusedEnvelopeIds(
  db: Db,
  accountId: Buffer,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ id: string }>(
    `WITH wanted AS (SELECT decode(id, 'hex') AS envelope_id FROM unnest($2::text[]) AS id)
     SELECT encode(envelope_id, 'hex') AS id FROM wanted
     WHERE NOT EXISTS (
         SELECT 1 FROM memory WHERE memory.account_id = $1 AND memory.envelope_id = wanted.envelope_id)
       AND NOT EXISTS (
         SELECT 1 FROM forgotten_memory gone WHERE gone.account_id = $1 AND gone.envelope_id = wanted.envelope_id)
       AND NOT EXISTS (
         SELECT 1 FROM memory_job WHERE account_id = $1 AND status <> 'done' AND memory_job.envelope_id = wanted.envelope_id)`,
    [accountId, [...new Set(ids)]],
  );
  return new Set(rows.map(({ id }) => id));
}
