import type { StatsResponse } from '@memrelay/protocol/memory-lists';
import type { StoreTariff } from '@memrelay/protocol/store-tariff';
import type { Db } from '../../base/db/db.ts';
import type { SidecarClient } from '../../sidecar/sidecar-client.ts';
import { readEnds } from '../rows/list-rows.ts';

/** The current storage epoch and its prices, and the settings by which memories are renewed. */
export interface StorageTime {
  /** At most a minute old; undefined if it cannot be read */
  tariff(): Promise<StoreTariff | undefined>;
  /** Memories that expire within this many epochs expire soon */
  soonEpochs: number;
  /** The relayer renews memories before they expire */
  renewed: boolean;
  /** Epochs for which memories are stored */
  storeEpochs: number;
}

const staleAfterMs = 60_000;

export function createStorageTime(
  sidecar: Pick<SidecarClient, 'storeTariff'>,
  { storeEpochs, renewals }: { storeEpochs: number; renewals: { epochsLeft: number | undefined } },
): StorageTime {
  let known: { tariff: Promise<StoreTariff | undefined>; atMs: number } | undefined;
  return {
    tariff() {
      if (!known || performance.now() - known.atMs > staleAfterMs) {
        const tariff = sidecar.storeTariff().catch(() => {
          known = undefined;
          return undefined;
        });
        known = { tariff, atMs: performance.now() };
      }
      return known.tariff;
    },
    // One epoch before a renewal, so that an owner can act first
    soonEpochs: (renewals.epochsLeft ?? 1) + 1,
    renewed: renewals.epochsLeft !== undefined,
    storeEpochs,
  };
}

/** Listed in `ends`; blobs can be stored for at most 53 epochs. */
const listedEnds = 60;

/** When the account's memories in these namespaces expire; undefined if the storage epoch is not known. */
export async function expiringSoon(
  { db, storageTime }: { db: Db; storageTime: StorageTime },
  accountId: Buffer,
  namespaces: readonly string[],
): Promise<StatsResponse['expiry']> {
  const tariff = await storageTime.tariff();
  if (!tariff) return undefined;
  const { epoch, epoch_ms } = tariff;
  const ends = await readEnds(db, accountId, namespaces, epoch);
  const soon = ends.filter((end) => end.epoch <= epoch + storageTime.soonEpochs);
  return {
    epoch,
    soon_count: soon.reduce((sum, { count }) => sum + count, 0),
    soon_bytes: soon.reduce((sum, { bytes }) => sum + bytes, 0),
    ...(soon[0] ? { first_epoch: soon[0].epoch } : {}),
    renewed: storageTime.renewed,
    epoch_ms,
    ends: ends.slice(0, listedEnds),
  };
}
