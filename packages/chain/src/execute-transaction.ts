import type { SuiClientTypes } from '@mysten/sui/client';
import type { Signer } from '@mysten/sui/cryptography';
import type { Transaction } from '@mysten/sui/transactions';
import { normalizeStructTag } from '@mysten/sui/utils';
import type { ChainClient } from './chain-client.ts';
import { ChainRejectedError, moveAbort } from './chain-errors.ts';

/** On a public network it takes seconds until a transaction is executed and readable. */
const executionTimeoutMs = 60_000;
const include = { effects: true, objectTypes: true } as const;

export interface ExecutedTransaction {
  digest: string;
  /** Type of every object the transaction touched, by id */
  objectTypes: Readonly<Record<string, string>>;
  changedObjects: readonly SuiClientTypes.ChangedObject[];
}

/**
 * Signs and executes, and returns once the queried node can read the result. Throws `ChainRejectedError` (with
 * `abort` when Move rejected it) or `ChainUnavailableError`, after which the transaction may still take effect.
 */
export async function executeTransaction(
  chain: ChainClient,
  transaction: Transaction,
  signer: Signer,
): Promise<ExecutedTransaction> {
  return chain.call(async (sui, signal) => {
    const result = await sui.core.signAndExecuteTransaction({ transaction, signer, include, signal });
    await sui.core.waitForTransaction({ result, signal });
    return executed(result);
  }, executionTimeoutMs);
}

/** Waits for a transaction that another party executes. Throws like `executeTransaction`. */
export async function awaitTransaction(chain: ChainClient, digest: string): Promise<ExecutedTransaction> {
  return chain.call(
    async (sui, signal) => executed(await sui.core.waitForTransaction({ digest, include, signal })),
    executionTimeoutMs,
  );
}

/**
 * Why the contract would reject a transaction, regardless of who pays; undefined if it would accept it. Throws
 * `ChainUnavailableError`.
 */
export async function refusalOf(
  chain: ChainClient,
  transaction: Transaction,
  sender: string,
): Promise<ChainRejectedError | undefined> {
  transaction.setSenderIfNotSet(sender);
  try {
    await chain.call(async (sui, signal) =>
      executed(await sui.core.simulateTransaction({ transaction, checksEnabled: false, include, signal })),
    );
    return undefined;
  } catch (error) {
    if (error instanceof ChainRejectedError) return error;
    throw error;
  }
}

function executed(result: SuiClientTypes.TransactionResult<typeof include>): ExecutedTransaction {
  const { status, digest, objectTypes, effects } = result.Transaction ?? result.FailedTransaction;
  if (!status.success)
    throw new ChainRejectedError('the transaction failed', { abort: moveAbort(status.error) });
  return { digest, objectTypes, changedObjects: effects.changedObjects };
}

/** Id of the account that a `createAccount` transaction created. Throws if there is none. */
export function createdAccountId(executed: ExecutedTransaction, packageId: string): string {
  const accountType = normalizeStructTag(`${packageId}::account::Account`);
  const created = executed.changedObjects.find(({ objectId, idOperation }) => {
    const type = executed.objectTypes[objectId];
    return idOperation === 'Created' && type?.includes('::') && normalizeStructTag(type) === accountType;
  });
  if (!created) throw new ChainRejectedError('the transaction created no account');
  return created.objectId;
}
