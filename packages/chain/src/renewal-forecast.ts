import { costAlone, costQuilted, type StorageCost, usualPerQuilt } from './storage-cost.ts';
import type { WalrusTariff } from './walrus-prices.ts';

/** What keeping the memories of an owner costs in a year, at current prices. */
export interface RenewalForecast {
  /** Epochs for which each renewal pays */
  epochs: number;
  renewalsPerYear: number;
  perQuilt: number;
  /** FROST in a year, if each memory is stored alone, and in quilts of `perQuilt` */
  aloneFrost: bigint;
  quiltedFrost: bigint;
}

/** The memories that are renewed. */
export interface RenewedMemories {
  memoryCount: number;
  /** Bytes of their envelopes */
  storageBytes: number;
}

const yearMs = 365.25 * 86_400_000;

/**
 * A relayer renews memories by storing them again for `epochs` epochs of `epochMs` each. Undefined without memories.
 * Envelopes count with their average size, and each renewal as a full one. Gas is not included.
 */
export function renewalForecast(
  { memoryCount, storageBytes }: RenewedMemories,
  epochs: number,
  tariff: Pick<WalrusTariff, 'storage' | 'write' | 'nShards'>,
  epochMs: number,
): RenewalForecast | undefined {
  if (memoryCount === 0 || epochMs <= 0) return undefined;
  const renewalsPerYear = yearMs / (epochMs * epochs);
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
