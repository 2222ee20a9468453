import type { WalrusTariff } from '@memrelay/chain/walrus-prices';
import type { Stats } from '@memrelay/sdk/types';
import { costAlone, costQuilted, type StorageCost, usualPerQuilt } from './storage-cost.ts';
import type { DateOfEpoch } from './storage-dates.ts';

/** What keeping the memories of an owner costs in a year, at current prices. */
export interface Forecast {
  /** Epochs for which each renewal pays */
  epochs: number;
  renewalsPerYear: number;
  perQuilt: number;
  /** FROST in a year, if each memory is stored alone, and in quilts of `perQuilt` */
  aloneFrost: bigint;
  quiltedFrost: bigint;
}

const yearMs = 365.25 * 86_400_000;

/**
 * A relayer renews memories by storing them again for `epochs` epochs. Undefined without memories, or if the duration of an
 * epoch is unknown. Envelopes count with their average size, and each renewal as a full one.
 */
export function forecast(
  { memoryCount, storageBytes }: Pick<Stats, 'memoryCount' | 'storageBytes'>,
  epochs: number,
  tariff: WalrusTariff,
  dateOf: DateOfEpoch,
): Forecast | undefined {
  const [zero, one] = [dateOf(0), dateOf(1)];
  if (memoryCount === 0 || !zero || !one || one <= zero) return undefined;
  const renewalsPerYear = yearMs / ((one.getTime() - zero.getTime()) * epochs);
  const size = Math.ceil(storageBytes / memoryCount);
  const perQuilt = usualPerQuilt(tariff.nShards);
  const inYear = ({ storageFrost, writeFrost }: StorageCost): bigint =>
    // Millionths, because a bigint has no fractions
    ((storageFrost + writeFrost) * BigInt(Math.ceil(renewalsPerYear * 1e6))) / 1_000_000n;
  return {
    epochs,
    renewalsPerYear,
    perQuilt,
    aloneFrost: inYear(costAlone(memoryCount, size, epochs, tariff)),
    quiltedFrost: inYear(costQuilted(memoryCount, size, epochs, perQuilt, tariff)),
  };
}
