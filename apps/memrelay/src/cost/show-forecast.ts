import { coinAmount } from '@memrelay/chain/coin-amount';
import { type Network, networkDefaults } from '@memrelay/protocol/networks';
import type { PublicConfig } from '@memrelay/protocol/service-info';
import type { Stats } from '@memrelay/sdk/types';
import { type Forecast, forecast } from './forecast.ts';
import { readTariff } from './read-tariff.ts';
import type { DateOfEpoch } from './storage-dates.ts';

/** The forecast for everything that the key may read, at the prices of the relayer's network. Throws the chain's errors. */
export async function readForecast(
  { network, suiRpcUrl }: Pick<PublicConfig, 'network' | 'suiRpcUrl'>,
  stats: Stats,
  dateOf: DateOfEpoch,
): Promise<Forecast | undefined> {
  const defaults = networkDefaults[network as Network];
  if (!defaults) return undefined;
  return forecast(stats, defaults.storeEpochs, await readTariff(network as Network, suiRpcUrl), dateOf);
}

export function forecastLine(found: Forecast | undefined): string {
  if (!found) return 'There is no forecast: nothing is stored, or the duration of an epoch is not known.';
  const { epochs, perQuilt, aloneFrost, quiltedFrost } = found;
  return `Renewing all of this for a year costs about ${coinAmount(quiltedFrost)} WAL in quilts of ${perQuilt}, and at most ${coinAmount(aloneFrost)} WAL with a blob each: at current prices, for ${epochs} epochs at a time, and without gas.`;
}

export function forecastJson(found: Forecast | undefined) {
  if (!found) return null;
  return {
    epochs: found.epochs,
    renewals_per_year: Number(found.renewalsPerYear.toFixed(3)),
    per_quilt: found.perQuilt,
    alone_frost: String(found.aloneFrost),
    quilted_frost: String(found.quiltedFrost),
  };
}
