import type { Db, Queryable } from '../../base/db/db.ts';

export interface ExpiringMemory {
  id: string;
  namespace: string;
  /** End epoch of the blob; 0 if `expires_at` is near */
  expires: number;
}

/** Memories of an account whose `expires_at` is at most this far away, after the id `after`, in the order of their ids. */
export async function expiringByTime(
  db: Db,
  accountId: Buffer,
  withinMs: number,
  page: { after: string; limit: number },
): Promise<ExpiringMemory[]> {
  const { rows } = await db.query<ExpiringMemory>(
    `SELECT id, namespace, 0 AS expires FROM memory
     WHERE account_id = $1 AND state IN ('pending', 'done') AND id > $2
       AND expires_at > now() AND expires_at <= now() + make_interval(secs => $3)
     ORDER BY id LIMIT $4`,
    [accountId, page.after, withinMs / 1000, page.limit],
  );
  return rows;
}

/** Memories of an account whose storage ends after `epoch` and not after `lastEpoch`; pages as above. */
export async function expiringByEpoch(
  db: Db,
  accountId: Buffer,
  { epoch, lastEpoch }: { epoch: number; lastEpoch: number },
  page: { after: string; limit: number },
): Promise<ExpiringMemory[]> {
  const { rows } = await db.query<ExpiringMemory>(
    `SELECT id, namespace, end_epoch AS expires FROM memory
     WHERE account_id = $1 AND state = 'done' AND id > $2 AND end_epoch > $3 AND end_epoch <= $4
     ORDER BY id LIMIT $5`,
    [accountId, page.after, epoch, lastEpoch, page.limit],
  );
  return rows;
}

/** Returns those that were not announced before. */
export async function markAnnounced(
  tx: Queryable,
  accountId: Buffer,
  memories: readonly ExpiringMemory[],
): Promise<ExpiringMemory[]> {
  const { rows } = await tx.query<{ memory_id: string }>(
    `INSERT INTO announced_expiry (account_id, memory_id, expires)
     SELECT $1, memory_id, expires FROM unnest($2::uuid[], $3::int[]) AS given (memory_id, expires)
     ON CONFLICT DO NOTHING RETURNING memory_id`,
    [accountId, memories.map(({ id }) => id), memories.map(({ expires }) => expires)],
  );
  const announced = new Set(rows.map(({ memory_id }) => memory_id));
  return memories.filter(({ id }) => announced.has(id));
}
