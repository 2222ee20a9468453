import type { Db } from '../../base/db/db.ts';

/** What is stored together with the jobs of a write that its caller may repeat. */
export interface IdempotencyRow {
  accountId: Buffer;
  delegatePk: Buffer;
  route: string;
  keyHash: Buffer;
  bodyHash: Buffer;
  answer: Buffer;
}

/** How long a key is remembered. */
export const idempotencyHours = 24;
const purgeBatch = 5_000;

/** The row of a key that is still remembered. */
export async function readIdempotencyRow(
  db: Db,
  { accountId, delegatePk, route }: Pick<IdempotencyRow, 'accountId' | 'delegatePk' | 'route'>,
  keyHash: Buffer,
): Promise<Pick<IdempotencyRow, 'bodyHash' | 'answer'> | undefined> {
  const { rows } = await db.query<{ body_hash: Buffer; answer: Buffer }>(
    `SELECT body_hash, answer FROM idempotency
     WHERE account_id = $1 AND delegate_pk = $2 AND route = $3 AND key_hash = $4
       AND created_at >= now() - make_interval(hours => ${idempotencyHours})`,
    [accountId, delegatePk, route, keyHash],
  );
  return rows[0] && { bodyHash: rows[0].body_hash, answer: rows[0].answer };
}

/** Removes the keys of all accounts that are no longer remembered, in bounded steps. */
export async function deleteOldKeys(db: Db): Promise<void> {
  for (let removed = purgeBatch; removed === purgeBatch; ) {
    const { rowCount } = await db.query(
      `DELETE FROM idempotency WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM idempotency WHERE created_at < now() - make_interval(hours => ${idempotencyHours}) LIMIT ${purgeBatch}))`,
    );
    removed = rowCount;
  }
}
