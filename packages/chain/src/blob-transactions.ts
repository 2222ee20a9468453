import { Transaction } from '@mysten/sui/transactions';
import type { WalrusNetwork } from './walrus-network.ts';

/** Maximum per transaction. It stays well below a sponsor's limit of 7,000 bytes for a transaction kind. */
export const maxBlobsPerTransaction = 30;

/** Deletes blob objects of `owner`, who gets the paid storage back. */
export function deleteBlobs(walrus: WalrusNetwork, objectIds: readonly string[], owner: string): Transaction {
  const tx = new Transaction();
  const freed = objectIds.map((objectId) =>
    tx.moveCall({
      target: `${walrus.packageId}::system::delete_blob`,
      arguments: [tx.object(walrus.systemObjectId), tx.object(objectId)],
    }),
  );
  tx.transferObjects(freed, owner);
  return tx;
}

/** Extends blob objects by a number of epochs. `walCoinId` is a coin of the owner that pays for the storage. */
export function extendBlobs(
  walrus: WalrusNetwork,
  objectIds: readonly string[],
  epochs: number,
  walCoinId: string,
): Transaction {
  const tx = new Transaction();
  for (const objectId of objectIds)
    tx.moveCall({
      target: `${walrus.packageId}::system::extend_blob`,
      arguments: [
        tx.object(walrus.systemObjectId),
        tx.object(objectId),
        tx.pure.u32(epochs),
        tx.object(walCoinId),
      ],
    });
  return tx;
}
