import { Transaction } from '@mysten/sui/transactions';

/** The account object as a shared input of a transaction. */
export interface SharedAccount {
  objectId: string;
  /** Decimal */
  initialSharedVersion: string;
}

const clock: SharedAccount = { objectId: '0x6', initialSharedVersion: '1' };

/**
 * Bytes of a transaction kind that checks every identity against the account. Key servers execute it before they return keys.
 * Builds it without reading from the chain, because all inputs are given.
 */
export function sealApproval(
  packageId: string,
  account: SharedAccount,
  identities: readonly Uint8Array[],
): Promise<Uint8Array> {
  const tx = new Transaction();
  const accountArg = tx.sharedObjectRef({ ...account, mutable: false });
  const clockArg = tx.sharedObjectRef({ ...clock, mutable: false });
  for (const identity of identities)
    tx.moveCall({
      target: `${packageId}::account::seal_approve_at`,
      arguments: [tx.pure.vector('u8', [...identity]), accountArg, clockArg],
    });
  return tx.build({ onlyTransactionKind: true });
}
