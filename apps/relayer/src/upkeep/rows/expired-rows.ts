import type { Db } from '../../base/db/db.ts';

/** Memories of one namespace whose time has passed. */
export interface ExpiredMemories {
  accountId: Buffer;
  namespace: string;
  ids: string[];
}

/** At most `limit` expired memories, those that expired first, without these accounts (hex); by namespace. */
export async function expiredMemories(
  db: Db,
  without: readonly string[],
  limit: number,
): Promise<ExpiredMemories[]> {
  const { rows } = await db.query<{ account_id: Buffer; namespace: string; ids: string[] }>(
    `SELECT account_id, namespace, array_agg(id::text) AS ids FROM (
       SELECT account_id, namespace, id FROM memory
       WHERE expires_at IS NOT NULL AND expires_at <= now()
         AND NOT encode(account_id, 'hex') = ANY ($1::text[])
       ORDER BY expires_at LIMIT $2) AS expired
     GROUP BY account_id, namespace`,
    [[...without], limit],
  );
  return rows.map((row) => ({ accountId: row.account_id, namespace: row.namespace, ids: row.ids }));
}
