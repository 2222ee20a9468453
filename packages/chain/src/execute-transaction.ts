import type { SuiClientTypes } from '@mysten/sui/client';
import type { Signer } from '@mysten/sui/cryptography';
import type { Transaction } from '@mysten/sui/transactions';
import { normalizeStructTag } from '@mysten/sui/utils';
import type { ChainClient } from './chain-client.ts';
import { ChainRejectedError, moveAbort } from './chain-errors.ts';

/** Signing, executing and being readable takes seconds on a public network. */
const executionTimeoutMs = 60_000;

export interface ExecutedTransaction {
  digest: string;
  /** Type of every object the transaction touched, by id */
  objectTypes: Readonly<Record<string, string>>;
  changedObjects: readonly SuiClientTypes.ChangedObject[];
}

/**
 * Signs and executes, and returns once the node that was asked can read the result. Throws `ChainRejectedError`
 * (with `abort` when Move refused) or `ChainUnavailableError`, after which the transaction may still take effect.
 */
export async function executeTransaction(
  chain: ChainClient,
  transaction: Transaction,
  signer: Signer,
): Promise<ExecutedTransaction> {
  return chain.call(async (sui, signal) => {
    const result = await sui.core.signAndExecuteTransaction({
      transaction,
      signer,
      include: { effects: true, objectTypes: true },
      signal,
    });
    await sui.core.waitForTransaction({ result, signal });
    const executed = result.Transaction ?? result.FailedTransaction;
    if (!executed.status.success)
      throw new ChainRejectedError('the transaction failed', { abort: moveAbort(executed.status.error) });
    return {
      digest: executed.digest,
      objectTypes: executed.objectTypes,
      changedObjects: executed.effects.changedObjects,
    };
  }, executionTimeoutMs);
}

/** Id of the account that a `createAccount` transaction made. Throws when it made none. */
export function createdAccountId(executed: ExecutedTransaction, packageId: string): string {
  const accountType = normalizeStructTag(`${packageId}::account::Account`);
  const created = executed.changedObjects.find(({ objectId, idOperation }) => {
    const type = executed.objectTypes[objectId];
    return idOperation === 'Created' && type?.includes('::') && normalizeStructTag(type) === accountType;
  });
  if (!created) throw new ChainRejectedError('the transaction created no account');
  return created.objectId;
}
