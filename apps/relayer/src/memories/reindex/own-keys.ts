import type { Db } from '../../base/db/db.ts';

/**
 * Tells which public keys are of pairs that this relayer made for a namespace, or found in a restore as its own. What is
 * sealed to another was encrypted by its client, whose text the relayer must not hand to a provider.
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
