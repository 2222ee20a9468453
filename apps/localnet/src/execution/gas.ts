import { changeBalance, coinBalance } from './coin.ts';
import { grpcStatus, RequestRefused } from './failure.ts';
import type { ChainStore } from './store.ts';
import type { GasData, TransactionData } from './transaction-data.ts';
import { coinOf, suiType } from './type-tags.ts';
import type { ChainObject } from './types.ts';
import type { Workspace } from './workspace.ts';

/** Price in MIST per unit of computation. */
export const referenceGasPrice = 1000n;
/** Every transaction costs this number of units, including failed ones. */
const unitsPerTransaction = 1000n;
/** The gas settings of a resolved transaction, in MIST. */
export const suggestedBudget = 10n * unitsPerTransaction * referenceGasPrice;
/** Maximum number of gas coins of a transaction, as in Sui. */
const maxPaymentCoins = 256;

export interface GasPlan {
  cost: bigint;
  budget: bigint;
  /** The coin that pays; the others of the payment are merged into it */
  coin: string;
  merged: readonly string[];
  /** Whether commands may use it as `GasCoin`; false if the payment listed no coins */
  usable: boolean;
}

/** Cost in MIST at a price. */
export function transactionCost(price: bigint): bigint {
  return unitsPerTransaction * price;
}

/**
 * Determines the payer and the coins. With an empty payment, the gas owner's largest coin that the transaction does
 * not use itself pays, because the localnet has no address balances other than coins. Throws `RequestRefused`.
 */
export function planGas(store: ChainStore, data: TransactionData, payment: readonly ChainObject[]): GasPlan {
  const price = BigInt(data.gasData.price);
  const budget = BigInt(data.gasData.budget);
  const cost = transactionCost(price);
  if (price < referenceGasPrice)
    throw refused(`gas price ${price} is below the reference price ${referenceGasPrice}`);
  if (budget < cost) throw refused(`gas budget ${budget} is too low: the transaction costs ${cost}`);
  for (const coin of payment) {
    if (coin.type !== coinOf(suiType)) throw refused(`gas object ${coin.id} is not a SUI coin`);
    if (coin.owner.kind !== 'address') throw refused(`gas object ${coin.id} has no owner`);
  }
  const coins =
    payment.length > 0 ? payment : spareCoins(store, data.gasData.owner, usedIds(data)).slice(0, 1);
  const balance = coins.reduce((sum, coin) => sum + coinBalance(coin), 0n);
  const [first, ...rest] = coins;
  if (!first || balance < budget) {
    throw refused(`Balance of gas objects ${balance} is lower than the needed amount ${budget}`);
  }
  return { cost, budget, coin: first.id, merged: rest.map(({ id }) => id), usable: payment.length > 0 };
}

/** Merges the payment into its first coin and deducts the budget, so that commands cannot spend it. */
export function reserveGas(workspace: Workspace, plan: GasPlan): void {
  const coin = workspace.load(plan.coin)!;
  for (const id of plan.merged) {
    const other = workspace.load(id)!;
    changeBalance(coin, coinBalance(other));
    other.deleted = true;
  }
  changeBalance(coin, -plan.budget);
}

/** Returns the unused part of the budget to the coin. */
export function settleGas(workspace: Workspace, plan: GasPlan): void {
  const coin = workspace.objects.get(plan.coin)!;
  changeBalance(coin, plan.budget - plan.cost);
}

/** Fills in price, budget and payment of a transaction that leaves them to the node. Throws `RequestRefused`. */
export function selectGas(store: ChainStore, data: TransactionData, missing: MissingGas): GasData {
  const price = missing.price ? referenceGasPrice.toString() : data.gasData.price;
  const budget = missing.budget
    ? (suggestedBudget * BigInt(price)) / referenceGasPrice
    : BigInt(data.gasData.budget);
  if (data.gasData.payment.length > 0) return { ...data.gasData, price, budget: budget.toString() };
  const payment = [];
  let total = 0n;
  for (const coin of spareCoins(store, data.gasData.owner, usedIds(data)).slice(0, maxPaymentCoins)) {
    payment.push({ objectId: coin.id, version: coin.version.toString(), digest: coin.digest });
    total += coinBalance(coin);
    if (total >= budget) return { owner: data.gasData.owner, payment, price, budget: budget.toString() };
  }
  throw refused(`${data.gasData.owner} does not have enough SUI for gas: ${total} of ${budget}`);
}

export interface MissingGas {
  price: boolean;
  budget: boolean;
}

function usedIds(data: TransactionData): Set<string> {
  return new Set(
    data.program.inputs.flatMap((input) =>
      input.$kind === 'Object' && input.Object.ImmOrOwnedObject
        ? [input.Object.ImmOrOwnedObject.objectId]
        : [],
    ),
  );
}

/** The owner's SUI coins that the transaction does not use, largest first. */
function spareCoins(store: ChainStore, owner: string, used: ReadonlySet<string>): ChainObject[] {
  return store
    .ownedBy(owner, coinOf(suiType), ['', ''], 10_000)
    .filter(({ id }) => !used.has(id))
    .sort((a, b) => (coinBalance(b) > coinBalance(a) ? 1 : -1));
}

function refused(message: string): RequestRefused {
  return new RequestRefused(grpcStatus.invalidArgument, message);
}
