import { blobIdToInteger, encodingTypeRs2 } from '@memrelay/chain/walrus-bcs';
import { encodedBlobLength } from '@memrelay/chain/walrus-sizes';
import type { Transaction, TransactionObjectArgument } from '@mysten/sui/transactions';
import type { AfterStore, NewBlob } from '../blob-registry.ts';
import type { ObjectRef } from './blob-objects.ts';
import type { WalrusSystem } from './walrus-system.ts';

/** The storage nodes' promise to keep a blob. */
export interface Certificate {
  message: Uint8Array;
  signature: Uint8Array;
}

/** Whether the publisher still owns the object of a blob afterwards. */
export function staysWithPublisher({ sendObjectTo, share, burn }: AfterStore): boolean {
  return sendObjectTo === undefined && !share && !burn;
}

/** Adds Walrus calls to a transaction. */
export interface WalrusCalls {
  /** Buys storage for a blob, or uses spare storage, and registers the blob in it. Returns the new Blob object. */
  register(blob: NewBlob, spare?: ObjectRef): TransactionObjectArgument;
  certify(blob: TransactionObjectArgument, certificate: Certificate): void;
  extend(blob: TransactionObjectArgument, epochs: number): void;
  /** Writes attributes. A null value removes the attribute, which must exist. */
  setAttributes(blob: TransactionObjectArgument, attributes: Readonly<Record<string, string | null>>): void;
  /** Sets attributes of a certified blob and transfers, shares or burns it, as `after` specifies. */
  finish(blob: TransactionObjectArgument, after: AfterStore): void;
  /** Deletes a blob and transfers its storage to `owner`. */
  delete(blob: TransactionObjectArgument, owner: string): void;
}

/** `wal` is the coin that pays. */
export function walrusCalls(
  transaction: Transaction,
  { packageId, objectId, initialSharedVersion, nShards, signers }: WalrusSystem,
  wal: TransactionObjectArgument,
): WalrusCalls {
  const { pure } = transaction;
  const system = (mutable: boolean) =>
    transaction.sharedObjectRef({ objectId, initialSharedVersion, mutable });
  const call = (name: string, args: TransactionObjectArgument[]) =>
    transaction.moveCall({ target: `${packageId}::${name}`, arguments: args });

  function setAttributes(
    blob: TransactionObjectArgument,
    attributes: Readonly<Record<string, string | null>>,
  ): void {
    for (const [key, value] of Object.entries(attributes)) {
      if (value === null) call('blob::remove_metadata_pair', [blob, pure.string(key)]);
      else call('blob::insert_or_update_metadata_pair', [blob, pure.string(key), pure.string(value)]);
    }
  }

  return {
    register({ blobId, rootHash, size, epochs, deletable }, spare) {
      const encodedLength = encodedBlobLength(size, nShards);
      const storage = spare
        ? transaction.objectRef(spare)
        : call('system::reserve_space', [system(true), pure.u64(encodedLength), pure.u32(epochs), wal]);
      return call('system::register_blob', [
        system(true),
        storage,
        pure.u256(blobIdToInteger(blobId)),
        pure.u256(blobIdToInteger(rootHash)),
        pure.u64(size),
        pure.u8(encodingTypeRs2),
        pure.bool(deletable),
        wal,
      ]);
    },

    certify(blob, { message, signature }) {
      call('system::certify_blob', [
        system(false),
        blob,
        pure.vector('u8', signature),
        pure.vector('u8', signers),
        pure.vector('u8', message),
      ]);
    },

    extend(blob, epochs) {
      call('system::extend_blob', [system(true), blob, pure.u32(epochs), wal]);
    },

    setAttributes,

    finish(blob, { attributes = {}, sendObjectTo, share, burn }) {
      setAttributes(blob, attributes);
      if (share) call('shared_blob::new', [blob]);
      else if (burn) call('blob::burn', [blob]);
      else if (sendObjectTo !== undefined) transaction.transferObjects([blob], sendObjectTo);
    },

    delete(blob, owner) {
      transaction.transferObjects([call('system::delete_blob', [system(false), blob])], owner);
    },
  };
}
