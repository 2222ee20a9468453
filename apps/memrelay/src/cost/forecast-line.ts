import { coinAmount } from '@memrelay/chain/coin-amount';
import type { Stats } from '@memrelay/sdk/types';

/** The relayer's forecast for everything that the key may read. */
export function forecastLine(found: Stats['forecast']): string {
  if (!found)
    return 'There is no forecast: nothing is stored, or the relayer does not know the prices at the moment.';
  const { epochs, perQuilt, aloneFrost, quiltedFrost } = found;
  return `Renewing all of this for a year costs about ${coinAmount(BigInt(quiltedFrost))} WAL in quilts of ${perQuilt}, and at most ${coinAmount(BigInt(aloneFrost))} WAL with a blob each: at current prices, for ${epochs} epochs at a time, and without gas.`;
}

export function forecastJson(found: Stats['forecast']) {
  if (!found) return null;
  return {
    epochs: found.epochs,
    renewals_per_year: found.renewalsPerYear,
    per_quilt: found.perQuilt,
    alone_frost: found.aloneFrost,
    quilted_frost: found.quiltedFrost,
  };
}
