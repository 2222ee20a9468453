import type { Db } from '../../base/db/db.ts';

/**
 * Bytes of the envelopes of an account: of its memories, as in `/api/stats`, and of accepted ones that have no row there
 * yet. Reads only indexes for the memories.
 */
export async function readStoredBytes(db: Db, accountId: Buffer): Promise<number> {
  const { rows } = await db.query<{ bytes: number }>(
    `SELECT (SELECT coalesce(sum(size), 0) FROM memory WHERE account_id = $1 AND state <> 'failed')::float8
       + (SELECT coalesce(sum(octet_length(envelope)), 0) FROM memory_job
          WHERE account_id = $1 AND kind = 1 AND status = 'running' AND stage IN ('queued', 'embedding'))::float8
       AS bytes`,
    [accountId],
  );
  return rows[0]!.bytes;
}
