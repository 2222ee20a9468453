import { blobIdToInteger, encodingTypeRs2 } from '@memrelay/chain/walrus-bcs';
import { encodedBlobLength } from '@memrelay/chain/walrus-sizes';
import type { Transaction, TransactionObjectArgument, TransactionResult } from '@mysten/sui/transactions';
import type { NewBlob } from '../blob-registry.ts';
import type { WalrusSystem } from './walrus-system.ts';

/** Bit 0: the one storage node of the committee signed. */
const signersBitmap = Uint8Array.of(1);

function systemArgument(transaction: Transaction, system: WalrusSystem, mutable: boolean) {
  const { objectId, initialSharedVersion } = system;
  return transaction.sharedObjectRef({ objectId, initialSharedVersion, mutable });
}

/** Buys storage for a blob and registers it there; the result is the new Blob object. */
export function addRegistration(
  transaction: Transaction,
  system: WalrusSystem,
  nShards: number,
  { blobId, rootHash, size, epochs, deletable }: NewBlob,
  wal: TransactionObjectArgument,
): TransactionResult {
  const systemObject = systemArgument(transaction, system, true);
  const storage = transaction.moveCall({
    target: `${system.packageId}::system::reserve_space`,
    arguments: [
      systemObject,
      transaction.pure.u64(encodedBlobLength(size, nShards)),
      transaction.pure.u32(epochs),
      wal,
    ],
  });
  return transaction.moveCall({
    target: `${system.packageId}::system::register_blob`,
    arguments: [
      systemObject,
      storage,
      transaction.pure.u256(blobIdToInteger(blobId)),
      transaction.pure.u256(blobIdToInteger(rootHash)),
      transaction.pure.u64(size),
      transaction.pure.u8(encodingTypeRs2),
      transaction.pure.bool(deletable),
      wal,
    ],
  });
}

/** The storage node's promise to keep a blob. */
export interface Certificate {
  message: Uint8Array;
  signature: Uint8Array;
}

export function addCertification(
  transaction: Transaction,
  system: WalrusSystem,
  blob: TransactionObjectArgument,
  { message, signature }: Certificate,
): void {
  transaction.moveCall({
    target: `${system.packageId}::system::certify_blob`,
    arguments: [
      systemArgument(transaction, system, false),
      blob,
      transaction.pure.vector('u8', signature),
      transaction.pure.vector('u8', signersBitmap),
      transaction.pure.vector('u8', message),
    ],
  });
}

export function addExtension(
  transaction: Transaction,
  system: WalrusSystem,
  blob: TransactionObjectArgument,
  epochs: number,
  wal: TransactionObjectArgument,
): void {
  transaction.moveCall({
    target: `${system.packageId}::system::extend_blob`,
    arguments: [systemArgument(transaction, system, true), blob, transaction.pure.u32(epochs), wal],
  });
}
