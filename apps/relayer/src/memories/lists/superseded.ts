import type { Db } from '../../base/db/db.ts';
import { successorOf } from '../../jobs/queue/successors.ts';

/** Which of these memories of an account are replaced, each with the memory that replaces it, stored or on its way. */
export async function supersededBy(
  db: Db,
  accountId: Buffer,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await db.query<{ id: string; successor: string }>(
    `SELECT id, successor FROM (
       SELECT memory.id, ${successorOf('memory', 'true')} AS successor FROM memory
       WHERE account_id = $1 AND id = ANY($2::uuid[])) AS listed
     WHERE successor IS NOT NULL`,
    [accountId, [...ids]],
  );
  return new Map(rows.map(({ id, successor }) => [id, successor]));
}
