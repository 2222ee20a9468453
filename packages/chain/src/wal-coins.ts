import { bcs } from '@mysten/sui/bcs';
import type { ChainClient } from './chain-client.ts';
import { ownedObjects } from './owned-objects.ts';

export interface WalCoin {
  objectId: string;
  /** FROST */
  value: bigint;
}

const coinBcs = bcs.struct('Coin', { id: bcs.Address, value: bcs.u64() });

/**
 * The WAL coins that `owner` owns, largest value first. Coins are identified by their type, because the contract rejects
 * other coins with the same name. Throws `ChainUnavailableError` and `ChainRejectedError`.
 */
export async function readWalCoins(chain: ChainClient, owner: string): Promise<WalCoin[]> {
  const coins: WalCoin[] = [];
  for await (const { objectId, type, content } of ownedObjects(chain, { owner, type: '0x2::coin::Coin' }))
    if (type.endsWith('::wal::WAL>')) coins.push({ objectId, value: BigInt(coinBcs.parse(content).value) });
  return coins.sort((a, b) => (b.value > a.value ? 1 : -1));
}
