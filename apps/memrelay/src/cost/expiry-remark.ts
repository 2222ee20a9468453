import { coinAmount } from '@memrelay/chain/coin-amount';
import { costAlone } from '@memrelay/chain/storage-cost';
import type { WalrusTariff } from '@memrelay/chain/walrus-prices';
import { type Network, networkDefaults } from '@memrelay/protocol/networks';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import type { Stats } from '@memrelay/sdk/types';
import { counted } from '../terminal/plain-text.ts';
import { readTariff } from './read-tariff.ts';
import type { DateOfEpoch } from './storage-dates.ts';

type Expiry = Omit<NonNullable<Stats['expiry']>, 'epochMs' | 'ends'>;

/** A remark about memories that expire soon, with current prices if available; empty if none expires soon. */
export async function expiryRemark(
  client: MemRelay,
  { expiry }: Stats,
  dateOf: DateOfEpoch,
): Promise<string[]> {
  if (!expiry || expiry.soonCount === 0) return [];
  const { network, suiRpcUrl } = await client.config();
  const tariff = Object.hasOwn(networkDefaults, network)
    ? await readTariff(network as Network, suiRpcUrl).catch(() => undefined)
    : undefined;
  const epochs = networkDefaults[network as Network]?.storeEpochs ?? 1;
  return expiryLines(expiry, epochs, tariff, dateOf);
}

/**
 * Compares the cost of both ways for the same number of epochs: an extension pays only for the storage, a renewal also
 * for writing. The estimate assumes a separate blob for each memory; quilts cost less.
 */
export function expiryLines(
  expiry: Expiry,
  epochs: number,
  tariff: WalrusTariff | undefined,
  dateOf: DateOfEpoch = () => undefined,
): string[] {
  const { soonCount, soonBytes, epoch, firstEpoch, renewed } = expiry;
  const last = firstEpoch ?? epoch + 1;
  // Storage is sold as a number of epochs from now
  const ahead = Math.max(
    1,
    Math.min(epochs, (tariff?.maxEpochsAhead ?? Number.POSITIVE_INFINITY) - (last - epoch)),
  );
  const date = dateOf(last)?.toISOString().slice(0, 10);
  const firstEnd = `${date === undefined ? '' : `on ${date}, `}at the start of storage epoch ${last}`;
  const what = `${counted(soonCount, 'memory expires', 'memories expire')} soon, the first ${firstEnd} (now ${epoch}).`;
  const who = renewed
    ? 'The relayer stores them again before that. If you extend them with your signature instead, they are not paid for twice'
    : 'The relayer does not store them again: they are then lost, unless you extend them';
  const cost = tariff && costAlone(soonCount, Math.ceil(soonBytes / soonCount), ahead, tariff);
  const price = cost
    ? `: for ${counted(ahead, 'epoch', 'epochs')} at most ${coinAmount(cost.storageFrost)} WAL, against ${coinAmount(cost.storageFrost + cost.writeFrost)} WAL for storing them again`
    : ', which costs the storage without the writing';
  return [what, `${who}${price}.`, `  npx memrelay blobs extend --until ${last} --epochs ${ahead}`];
}
