import { bcs } from '@mysten/sui/bcs';
import type { SuiClientTypes } from '@mysten/sui/client';
import type { ChainClient } from './chain-client.ts';

const coinBcs = bcs.struct('Coin', { id: bcs.Address, value: bcs.u64() });

/**
 * Id of the richest WAL coin that `owner` holds, undefined without one. Coins are known by the name of their type: one
 * that only calls itself WAL would be refused by the contract. Throws `ChainUnavailableError` and `ChainRejectedError`.
 */
export async function largestWalCoin(chain: ChainClient, owner: string): Promise<string | undefined> {
  let best: { objectId: string; value: bigint } | undefined;
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
    for (const { objectId, type, content } of page.objects) {
      if (!type.endsWith('::wal::WAL>')) continue;
      const value = BigInt(coinBcs.parse(content).value);
      if (value > (best?.value ?? 0n)) best = { objectId, value };
    }
    cursor = page.hasNextPage ? page.cursor : null;
  } while (cursor !== null);
  return best?.objectId;
}
