import { normalizeAddress } from '@memrelay/protocol/address';
import { bcs } from '@mysten/sui/bcs';
import { coinStruct } from '../execution/coin.ts';
import { MoveAbort, type MoveObject, type NativeModule, type Param } from '../execution/native.ts';
import { clockStruct } from '../execution/workspace.ts';

const frameworkId = normalizeAddress('0x2');
type Coin = MoveObject<{ id: string; balance: string }>;

const readCoin: Param = { kind: 'ref', type: '0x2::coin::Coin<T0>', mutable: false };
const changeCoin: Param = { ...readCoin, mutable: true };
const ownCoin: Param = { kind: 'own', type: '0x2::coin::Coin<T0>' };
const ownCoins: Param = { kind: 'own', type: 'vector<0x2::coin::Coin<T0>>' };
const returnsCoin = [{ kind: 'own', type: '0x2::coin::Coin<T0>' }] as const;

/** Abort codes of `sui::balance`. */
const nonZero = 0;
const notEnough = 2;

/** The part of Sui's framework that transactions built by the SDKs call. */
export const frameworkModules: readonly NativeModule[] = [
  { packageId: frameworkId, name: 'clock', structs: { Clock: clockStruct.bcs }, functions: {} },
  { packageId: frameworkId, name: 'sui', structs: {}, functions: {} },
  {
    packageId: frameworkId,
    name: 'coin',
    structs: { Coin: coinStruct },
    functions: {
      value: {
        typeParameters: 1,
        params: [readCoin],
        returns: [{ kind: 'pure', type: 'u64', bcs: bcs.u64() }],
        visibility: 'public',
        run: (_context, coin: Coin) => [coin.value.balance],
      },
      zero: {
        typeParameters: 1,
        params: [],
        returns: returnsCoin,
        visibility: 'public',
        run: (context) => [newCoin(context.newObjectId(), 0n)],
      },
      split: {
        typeParameters: 1,
        params: [changeCoin, { kind: 'pure', bcs: bcs.u64() }],
        returns: returnsCoin,
        visibility: 'public',
        run: (context, coin: Coin, amount: string) => {
          takeFromCoin(coin, BigInt(amount));
          return [newCoin(context.newObjectId(), BigInt(amount))];
        },
      },
      join: {
        typeParameters: 1,
        params: [changeCoin, ownCoin],
        visibility: 'public entry',
        run: (context, coin: Coin, other: Coin) => {
          join(coin, other);
          context.destroy(other);
          return undefined;
        },
      },
      destroy_zero: {
        typeParameters: 1,
        params: [ownCoin],
        visibility: 'public',
        run: (context, coin: Coin) => {
          if (BigInt(coin.value.balance) !== 0n)
            throw new MoveAbort(nonZero, `${frameworkId}::balance`, 'destroy_zero');
          context.destroy(coin);
          return undefined;
        },
      },
    },
  },
  {
    packageId: frameworkId,
    name: 'pay',
    structs: {},
    functions: {
      join_vec: {
        typeParameters: 1,
        params: [changeCoin, ownCoins],
        visibility: 'public entry',
        run: (context, coin: Coin, others: Coin[]) => {
          for (const other of others) {
            join(coin, other);
            context.destroy(other);
          }
          return undefined;
        },
      },
    },
  },
];

/** Subtracts an amount from a coin. Aborts like `sui::balance::split` if the coin has less. */
export function takeFromCoin(coin: MoveObject<{ balance: string }>, amount: bigint): void {
  const balance = BigInt(coin.value.balance);
  if (balance < amount) throw new MoveAbort(notEnough, `${frameworkId}::balance`, 'split');
  coin.value.balance = (balance - amount).toString();
}

function join(coin: Coin, other: Coin): void {
  coin.value.balance = (BigInt(coin.value.balance) + BigInt(other.value.balance)).toString();
}

/** A new coin. The executor replaces its type by the one that the function declares. */
function newCoin(id: string, balance: bigint): Coin {
  return { id, type: '0x2::coin::Coin', value: { id, balance: balance.toString() } };
}
