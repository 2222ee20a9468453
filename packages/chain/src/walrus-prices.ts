import { normalizeStructTag } from '@mysten/sui/utils';
import type { ChainClient } from './chain-client.ts';
import { ChainUnavailableError } from './chain-errors.ts';
import type { WalrusNetwork } from './walrus-network.ts';
import type { WalrusPrices } from './walrus-sizes.ts';
import { readSystemObject, readSystemState } from './walrus-system.ts';

/** Current storage prices; the network's committee votes on them every epoch. */
export interface WalrusTariff extends WalrusPrices {
  nShards: number;
  epoch: number;
  /** Maximum number of epochs ahead for which storage can be bought */
  maxEpochsAhead: number;
}

/** Assumed gas for estimates, in MIST (1 SUI = 1e9), because no network reports it in advance. */
export const assumedGas = {
  /** The two transactions of an upload, without the relay's tip */
  upload: 10_000_000n,
  /** A transaction of an account function */
  transaction: 5_000_000n,
} as const;

/** Reads the prices from the system object, never from a cache. Throws `ChainUnavailableError` and `ChainRejectedError`. */
export async function readWalrusTariff(chain: ChainClient, systemObjectId: string): Promise<WalrusTariff> {
  const state = await readSystemState(chain, await readSystemObject(chain, systemObjectId));
  return {
    storage: BigInt(state.storage_price_per_unit_size),
    write: BigInt(state.write_price_per_unit_size),
    nShards: state.committee.n_shards,
    epoch: state.committee.epoch,
    maxEpochsAhead: state.future_accounting.length,
  };
}

/**
 * Type of the WAL coin, read from the function for staking: another coin may have the same name, but not the same type.
 * Throws `ChainUnavailableError` and `ChainRejectedError`.
 */
export async function readWalType(chain: ChainClient, { packageId }: WalrusNetwork): Promise<string> {
  const { function: stake } = await chain.call((sui, signal) =>
    sui.core.getMoveFunction({ packageId, moduleName: 'staking', name: 'stake_with_pool', signal }),
  );
  const coin = stake.parameters[1]?.body;
  const wal = coin?.$kind === 'datatype' ? coin.datatype.typeParameters[0] : undefined;
  if (wal?.$kind !== 'datatype') throw new ChainUnavailableError('WAL coin type not found');
  return normalizeStructTag(wal.datatype.typeName);
}
