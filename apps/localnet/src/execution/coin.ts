import { bcs } from '@mysten/sui/bcs';
import { ExecutionFailure } from './failure.ts';
import type { WorkObject } from './workspace.ts';

/** `sui::coin::Coin<T>` for any T. */
export const coinStruct = bcs.struct('Coin', { id: bcs.Address, balance: bcs.u64() });

export function encodeCoin(id: string, balance: bigint): Uint8Array {
  return coinStruct.serialize({ id, balance }).toBytes();
}

/** Balance of a coin, in the coin's smallest unit. */
export function coinBalance(coin: { contents: Uint8Array }): bigint {
  return BigInt(coinStruct.parse(coin.contents).balance);
}

/** Adds `amount` to a coin's balance. Throws `ExecutionFailure` if the balance would become negative. */
export function changeBalance(coin: WorkObject, amount: bigint): void {
  const balance = coinBalance(coin) + amount;
  if (balance < 0n)
    throw new ExecutionFailure({ kind: 'InsufficientCoinBalance' }, 'Insufficient coin balance');
  if (balance >= 1n << 64n) throw new ExecutionFailure({ kind: 'CoinBalanceOverflow' });
  coin.contents = encodeCoin(coin.id, balance);
}
