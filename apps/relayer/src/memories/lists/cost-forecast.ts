import { renewalForecast } from '@memrelay/chain/renewal-forecast';
import type { CostForecast } from '@memrelay/protocol/memory-lists';
import type { StorageTime } from './expiring-soon.ts';

/** What renewing these memories for a year costs; undefined without memories, or while the prices are not known. */
export async function costForecast(
  storageTime: StorageTime,
  stored: { memoryCount: number; storageBytes: number },
): Promise<CostForecast | undefined> {
  const tariff = await storageTime.tariff();
  if (!tariff) return undefined;
  const prices = {
    storage: BigInt(tariff.storage_price),
    write: BigInt(tariff.write_price),
    nShards: tariff.n_shards,
  };
  const found = renewalForecast(stored, storageTime.storeEpochs, prices, tariff.epoch_ms);
  if (!found) return undefined;
  return {
    epochs: found.epochs,
    renewals_per_year: Number(found.renewalsPerYear.toFixed(3)),
    per_quilt: found.perQuilt,
    alone_frost: String(found.aloneFrost),
    quilted_frost: String(found.quiltedFrost),
  };
}
