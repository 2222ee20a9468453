import type { StatsResponse } from '@memrelay/protocol/memory-lists';
import type { Db } from '../../base/db/db.ts';
import type { SidecarClient } from '../../sidecar/sidecar-client.ts';
import { readExpiring } from '../rows/list-rows.ts';

/** The current storage epoch, and the settings by which memories expire soon. */
export interface StorageTime {
  /** At most a minute old; undefined if it cannot be read */
  epoch(): Promise<number | undefined>;
  /** Memories that expire within this many epochs expire soon */
  soonEpochs: number;
  /** The relayer renews memories before they expire */
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
    // One epoch before a renewal, so that an owner can act first
    soonEpochs: (renewedEpochsLeft ?? 1) + 1,
    renewed: renewedEpochsLeft !== undefined,
  };
}

/** The account's memories in these namespaces that expire soon; undefined if the storage epoch is not known. */
export async function expiringSoon(
  { db, storageTime }: { db: Db; storageTime: StorageTime },
  accountId: Buffer,
  namespaces: readonly string[],
): Promise<StatsResponse['expiry']> {
  const epoch = await storageTime.epoch();
  if (epoch === undefined) return undefined;
  const { count, bytes, first } = await readExpiring(db, accountId, namespaces, {
    epoch,
    lastEpoch: epoch + storageTime.soonEpochs,
  });
  return {
    epoch,
    soon_count: count,
    soon_bytes: bytes,
    ...(first === null ? {} : { first_epoch: first }),
    renewed: storageTime.renewed,
  };
}
