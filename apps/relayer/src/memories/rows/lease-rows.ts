import { randomUUID } from 'node:crypto';
import type { Db } from '../../base/db/db.ts';

/** How long others wait for a relayer that died while it was re-embedding. */
export const leaseSeconds = 30;

/** The right to re-embed a namespace, which lasts `leaseSeconds` from the last extension. */
export interface LeaseRow {
  accountId: Buffer;
  namespace: string;
  token: string;
}

/** Takes the lease. Undefined while another request, here or at another relayer, holds it. */
export async function insertLease(
  db: Db,
  accountId: Buffer,
  namespace: string,
): Promise<LeaseRow | undefined> {
  const token = randomUUID();
  const { rowCount } = await db.query(
    `INSERT INTO reindex_lease (account_id, namespace, lease_token, lease_until)
     VALUES ($1, $2, $3, now() + make_interval(secs => ${leaseSeconds}))
     ON CONFLICT (account_id, namespace) DO UPDATE SET lease_token = $3, lease_until = excluded.lease_until
       WHERE reindex_lease.lease_until < now()`,
    [accountId, namespace, token],
  );
  return rowCount === 0 ? undefined : { accountId, namespace, token };
}

const isLease = 'account_id = $1 AND namespace = $2 AND lease_token = $3';

export async function extendLease(db: Db, { accountId, namespace, token }: LeaseRow): Promise<void> {
  await db.query(
    `UPDATE reindex_lease SET lease_until = now() + make_interval(secs => ${leaseSeconds}) WHERE ${isLease}`,
    [accountId, namespace, token],
  );
}

export async function deleteLease(db: Db, { accountId, namespace, token }: LeaseRow): Promise<void> {
  await db.query(`DELETE FROM reindex_lease WHERE ${isLease}`, [accountId, namespace, token]);
}

/** Deletes the leases of all accounts. Only the embedded database has one process, so at its start all leases are stale. */
export async function clearReindexLeases(db: Db): Promise<void> {
  if (db.kind === 'pglite') await db.query('DELETE FROM reindex_lease');
}
