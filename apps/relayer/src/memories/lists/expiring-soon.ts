import type { StatsResponse } from '@memrelay/protocol/memory-lists';
import type { Db } from '../../base/db/db.ts';
import type { SidecarClient } from '../../sidecar/sidecar-client.ts';

/** The present storage epoch, and what is soon. */
export interface StorageTime {
  /** At most a minute old; undefined while it cannot be learnt */
  epoch(): Promise<number | undefined>;
  /** What ends within so many epochs ends soon */
  soonEpochs: number;
  /** The relayer stores memories once more before they end */
  renewed: boolean;
}

const staleAfterMs = 60_000;

export function createStorageTime(
  sidecar: Pick<SidecarClient, 'storeEpoch'>,
  /** The relayer renews memories that have at most this many epochs left; undefined when it renews none */
  renewedEpochsLeft: number | undefined,
): StorageTime {
  let known: { epoch: Promise<number | undefined>; atMs: number } | undefined;
  return {
    epoch() {
      if (!known || performance.now() - known.atMs > staleAfterMs) {
        const epoch = sidecar.storeEpoch().catch(() => {
          known = undefined;
          return undefined;
        });
        known = { epoch, atMs: performance.now() };
      }
      return known.epoch;
    },
    // An epoch earlier than a renewal, so that an owner may come before it
    soonEpochs: (renewedEpochsLeft ?? 1) + 1,
    renewed: renewedEpochsLeft !== undefined,
  };
}

/** The account's memories in these namespaces that end soon; undefined while the storage epoch is not known. */
export async function expiringSoon(
  { db, storageTime }: { db: Db; storageTime: StorageTime },
  accountId: Buffer,
  namespaces: readonly string[],
): Promise<StatsResponse['expiry']> {
  const epoch = await storageTime.epoch();
  if (epoch === undefined) return undefined;
  const { rows } = await db.query<{ count: number; bytes: number; first: number | null }>(
    `SELECT count(*)::int AS count, coalesce(sum(size), 0)::float8 AS bytes, min(end_epoch) AS first FROM memory
     WHERE account_id = $1 AND state = 'done' AND end_epoch > $2 AND end_epoch <= $3 AND namespace = ANY($4::text[])`,
    [accountId, epoch, epoch + storageTime.soonEpochs, [...namespaces]],
  );
  const { count, bytes, first } = rows[0]!;
  return {
    epoch,
    soon_count: count,
    soon_bytes: bytes,
    ...(first === null ? {} : { first_epoch: first }),
    renewed: storageTime.renewed,
  };
}
