import type { Db } from '../../base/db/db.ts';
import { deleteLease, extendLease, insertLease, leaseSeconds } from '../rows/lease-rows.ts';

/** The right to re-embed a namespace, for as long as this process lives. */
export interface ReindexLease {
  token: string;
  release(): Promise<void>;
}

/** Takes the lease and extends it until it is released. Undefined while another request or relayer holds it. */
export async function takeLease(
  db: Db,
  accountId: Buffer,
  namespace: string,
): Promise<ReindexLease | undefined> {
  const lease = await insertLease(db, accountId, namespace);
  if (!lease) return undefined;
  const extending = setInterval(
    () => {
      extendLease(db, lease).catch(() => undefined);
    },
    (leaseSeconds * 1000) / 3,
  ).unref();
  return {
    token: lease.token,
    async release() {
      clearInterval(extending);
      await deleteLease(db, lease);
    },
  };
}
