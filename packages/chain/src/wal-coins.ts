import { bcs } from '@mysten/sui/bcs';
import type { SuiClientTypes } from '@mysten/sui/client';
import type { ChainClient } from './chain-client.ts';

export interface WalCoin {
  objectId: string;
  /** FROST */
  value: bigint;
}

const coinBcs = bcs.struct('Coin', { id: bcs.Address, value: bcs.u64() });

/**
 * The WAL coins that `owner` holds, richest first. Coins are known by the name of their type: one that only calls itself
 * WAL would be refused by the contract. Throws `ChainUnavailableError` and `ChainRejectedError`.
 */
export async function readWalCoins(chain: ChainClient, owner: string): Promise<WalCoin[]> {
  const coins: WalCoin[] = [];
  let cursor: string | null = null;
  do {
    const from: string | null = cursor;
    const page: SuiClientTypes.ListOwnedObjectsResponse<{ content: true }> = await chain.call((sui, signal) =>
      sui.core.listOwnedObjects({
        owner,
        type: '0x2::coin::Coin',
        cursor: from,
        include: { content: true },
        signal,
      }),
    );
    for (const { objectId, type, content } of page.objects)
      if (type.endsWith('::wal::WAL>')) coins.push({ objectId, value: BigInt(coinBcs.parse(content).value) });
    cursor = page.hasNextPage ? page.cursor : null;
  } while (cursor !== null);
  return coins.sort((a, b) => (b.value > a.value ? 1 : -1));
}
