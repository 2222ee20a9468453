import { randomUUID } from 'node:crypto';
import type { Db } from '../../base/db/db.ts';

/** How long others wait for a relayer that died at it. */
const leaseSeconds = 30;

/** The right to embed a namespace anew, for as long as this process lives. */
export interface ReindexLease {
  token: string;
  release(): Promise<void>;
}

/** Undefined while another holds it, at whichever relayer on this database. */
export async function takeLease(
  db: Db,
  accountId: Buffer,
  namespace: string,
): Promise<ReindexLease | undefined> {
  const token = randomUUID();
  const { rowCount } = await db.query(
    `INSERT INTO reindex_lease (account_id, namespace, lease_token, lease_until)
     VALUES ($1, $2, $3, now() + make_interval(secs => ${leaseSeconds}))
     ON CONFLICT (account_id, namespace) DO UPDATE SET lease_token = $3, lease_until = excluded.lease_until
       WHERE reindex_lease.lease_until < now()`,
    [accountId, namespace, token],
  );
  if (rowCount === 0) return undefined;
  const held = [accountId, namespace, token];
  const where = 'WHERE account_id = $1 AND namespace = $2 AND lease_token = $3';
  const extending = setInterval(
    () => {
      db.query(
        `UPDATE reindex_lease SET lease_until = now() + make_interval(secs => ${leaseSeconds}) ${where}`,
        held,
      ).catch(() => undefined);
    },
    (leaseSeconds * 1000) / 3,
  ).unref();
  return {
    token,
    async release() {
      clearInterval(extending);
      await db.query(`DELETE FROM reindex_lease ${where}`, held);
    },
  };
}

/** The embedded database has one process: leases that stand at its start are a dead one's. */
export async function clearReindexLeases(db: Db): Promise<void> {
  if (db.kind === 'pglite') await db.query('DELETE FROM reindex_lease');
}
