import type { ChainClient } from '@memrelay/chain/chain-client';
import { readWalrusTariff } from '@memrelay/chain/walrus-prices';
import { readWalrusSchedule } from '@memrelay/chain/walrus-schedule';
import type { StoreTariff } from '@memrelay/protocol/store-tariff';
import type { WalrusObjects } from './walrus-package.ts';

/** Current prices and the duration of an epoch, from the chain. Throws `ChainUnavailableError` and `ChainRejectedError`. */
export async function readStoreTariff(
  chain: ChainClient,
  { systemObjectId, stakingPoolId }: WalrusObjects,
): Promise<StoreTariff> {
  const [{ epoch, storage, write, nShards }, { durationMs }] = await Promise.all([
    readWalrusTariff(chain, systemObjectId),
    readWalrusSchedule(chain, stakingPoolId),
  ]);
  return {
    epoch,
    storage_price: String(storage),
    write_price: String(write),
    n_shards: nShards,
    epoch_ms: durationMs,
  };
}
