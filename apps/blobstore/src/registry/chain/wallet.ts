import type { ChainClient } from '@memrelay/chain/chain-client';
import { ChainRejectedError, moveAbort } from '@memrelay/chain/chain-errors';
import type { SuiClientTypes } from '@mysten/sui/client';
import type { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction, type TransactionObjectArgument } from '@mysten/sui/transactions';
import { createKeyedLock } from '../../base/keyed-lock.ts';
import type { ObjectRef } from './blob-objects.ts';
import { NativeKeypair } from './native-keypair.ts';

interface Coins {
  gasPrice: string;
  /** All SUI coins at first; after the first transaction a single merged one */
  gas: ObjectRef[];
  wal: ObjectRef[];
}

export interface Executed {
  digest: string;
  events: SuiClientTypes.Event[];
  /** Ids of the created objects */
  created: string[];
  /** Reference of an object after the transaction, to use it in the next one */
  refOf(objectId: string): ObjectRef;
}

/**
 * Gas budget in MIST. Storing an object costs about 10 million on a public network. The unused part is not charged.
 */
const budgetPerObject = 20_000_000;
/** A full node responds within a few seconds, and clients do not wait much longer for a store. */
const executionTimeoutMs = 10_000;

type Build = (transaction: Transaction, wal: TransactionObjectArgument) => void;

/** The publisher's account, which pays gas in SUI and storage in WAL. */
export interface Wallet {
  address: string;
  /**
   * Builds, signs and executes transactions one at a time. `build` gets the coin that pays in WAL; `objects` is the
   * number of objects in the transaction, which determines the gas budget. Throws `ChainRejectedError` and
   * `ChainUnavailableError`; after either, the coins are reloaded.
   */
  execute(objects: number, build: Build): Promise<Executed>;
}

/**
 * Tracks its coins through the effects of its own transactions, so that a transaction takes a single call. No other
 * program may spend from the account at the same time.
 */
export function createWallet(chain: ChainClient, owner: Ed25519Keypair, walType: string): Wallet {
  const keypair = new NativeKeypair(owner);
  const address = keypair.toSuiAddress();
  let coins: Coins | undefined;

  async function listCoins(coinType?: string): Promise<ObjectRef[]> {
    const page = await chain.call((sui, signal) =>
      sui.core.listCoins({ owner: address, ...(coinType === undefined ? {} : { coinType }), signal }),
    );
    const sorted = page.objects.toSorted((a, b) => (BigInt(b.balance) > BigInt(a.balance) ? 1 : -1));
    if (sorted.length === 0) throw new ChainRejectedError(`${address} has no ${coinType ?? 'SUI'}`);
    return sorted.map(({ objectId, version, digest }) => ({ objectId, version, digest }));
  }

  async function loadCoins(): Promise<Coins> {
    const [{ referenceGasPrice }, gas, wal] = await Promise.all([
      chain.call((sui, signal) => sui.core.getReferenceGasPrice({ signal })),
      listCoins(),
      listCoins(walType),
    ]);
    return { gasPrice: referenceGasPrice, gas, wal };
  }

  async function execute(objects: number, build: Build): Promise<Executed> {
    const { gasPrice, gas, wal } = coins ?? (await loadCoins());
    coins = undefined;
    const transaction = new Transaction();
    transaction.setSender(address);
    transaction.setGasPrice(gasPrice);
    transaction.setGasPayment(gas);
    transaction.setGasBudget(budgetPerObject * (objects + 1));
    const [walCoin, ...smaller] = wal.map((ref) => transaction.objectRef(ref));
    if (walCoin === undefined) throw new ChainRejectedError(`${address} has no WAL`);
    if (smaller.length > 0) transaction.mergeCoins(walCoin, smaller);
    build(transaction, walCoin);
    const bytes = await transaction.build();
    const { signature } = await keypair.signTransaction(bytes);
    const executed = await submit(chain, bytes, signature);
    const first = (refs: ObjectRef[]) => refs.slice(0, 1).map((ref) => executed.after(ref));
    coins = { gasPrice, gas: first(gas), wal: first(wal) };
    return { ...executed, refOf: (objectId) => executed.after({ objectId }) };
  }

  // The coins allow one transaction at a time.
  const turns = createKeyedLock();
  return { address, execute: (objects, build) => turns.run(address, () => execute(objects, build)) };
}

async function submit(chain: ChainClient, transaction: Uint8Array, signature: string) {
  const include = { effects: true, events: true } as const;
  const result = await chain.call(
    (sui, signal) => sui.core.executeTransaction({ transaction, signatures: [signature], include, signal }),
    executionTimeoutMs,
  );
  const { digest, events, effects, status } = result.Transaction ?? result.FailedTransaction;
  if (!status.success) {
    throw new ChainRejectedError('the transaction failed', { abort: moveAbort(status.error) });
  }
  const changed = new Map(effects.changedObjects.map((change) => [change.objectId, change]));
  function after({ objectId }: Pick<ObjectRef, 'objectId'>): ObjectRef {
    const change = changed.get(objectId);
    if (!change?.outputVersion || !change.outputDigest) throw new Error(`${objectId} is not in the effects`);
    return { objectId, version: change.outputVersion, digest: change.outputDigest };
  }
  const made = effects.changedObjects.filter(({ idOperation }) => idOperation === 'Created');
  return { digest, events, created: made.map(({ objectId }) => objectId), after };
}
