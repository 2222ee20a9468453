import { bcs } from '@mysten/sui/bcs';
import { fromBase64, toBase64 } from '@mysten/sui/utils';

/**
 * BCS of Walrus' Move structs, field by field in Move's order (`contracts/walrus` of the Walrus repository, as
 * `@mysten/walrus` decodes them). Ids are `0x` and 64 hex digits, u64 and u256 decimal text, epochs numbers.
 */

export const storageBcs = bcs.struct('Storage', {
  id: bcs.Address,
  start_epoch: bcs.u32(),
  /** First epoch in which the storage no longer exists */
  end_epoch: bcs.u32(),
  /** Encoded bytes */
  storage_size: bcs.u64(),
});

export const blobBcs = bcs.struct('Blob', {
  id: bcs.Address,
  registered_epoch: bcs.u32(),
  /** The blob id's 32 bytes read little-endian; `blobIdFromInteger` gives the usual text */
  blob_id: bcs.u256(),
  /** Unencoded bytes */
  size: bcs.u64(),
  encoding_type: bcs.u8(),
  certified_epoch: bcs.option(bcs.u32()),
  storage: storageBcs,
  deletable: bcs.bool(),
});

export type Blob = typeof blobBcs.$inferType;
export type Storage = typeof storageBcs.$inferType;

/** A blob that anyone may extend, paid from its WAL funds, to which anyone may contribute. */
export const sharedBlobBcs = bcs.struct('SharedBlob', {
  id: bcs.Address,
  blob: blobBcs,
  funds: bcs.struct('Balance', { value: bcs.u64() }),
});

/** RedStuff over Reed-Solomon, the only encoding in use. */
export const encodingTypeRs2 = 1;

/** Attributes of a blob: the value of its dynamic field `metadata`, whose name has the type `vector<u8>`. */
export const blobMetadataBcs = bcs.struct('Metadata', {
  metadata: bcs.struct('VecMap', {
    contents: bcs.vector(bcs.struct('Entry', { key: bcs.string(), value: bcs.string() })),
  }),
});

/** Events of the module `events`, by struct name. */
export const walrusEventBcs = {
  BlobRegistered: bcs.struct('BlobRegistered', {
    epoch: bcs.u32(),
    blob_id: bcs.u256(),
    size: bcs.u64(),
    encoding_type: bcs.u8(),
    end_epoch: bcs.u32(),
    deletable: bcs.bool(),
    object_id: bcs.Address,
  }),
  BlobCertified: bcs.struct('BlobCertified', {
    epoch: bcs.u32(),
    blob_id: bcs.u256(),
    end_epoch: bcs.u32(),
    deletable: bcs.bool(),
    object_id: bcs.Address,
    is_extension: bcs.bool(),
  }),
  BlobDeleted: bcs.struct('BlobDeleted', {
    epoch: bcs.u32(),
    blob_id: bcs.u256(),
    end_epoch: bcs.u32(),
    object_id: bcs.Address,
    was_certified: bcs.bool(),
  }),
} as const;

/** The message that a storage node signs to confirm that it has stored a blob, in the form that `certify_blob` expects. */
export const storageConfirmationBcs = bcs.struct('StorageConfirmation', {
  /** 1: a blob certificate */
  intent_type: bcs.u8(),
  intent_version: bcs.u8(),
  /** 3: Walrus storage */
  app_id: bcs.u8(),
  epoch: bcs.u32(),
  blob_id: bcs.u256(),
  persistence: bcs.enum('BlobPersistenceType', {
    Permanent: null,
    Deletable: bcs.struct('Deletable', { object_id: bcs.Address }),
  }),
});

/** The message for a blob object. `epoch` must be the current one, otherwise the certificate is rejected. */
export function storageConfirmation(
  epoch: number,
  blob: Pick<Blob, 'id' | 'blob_id' | 'deletable'>,
): Uint8Array {
  return storageConfirmationBcs
    .serialize({
      intent_type: 1,
      intent_version: 0,
      app_id: 3,
      epoch,
      blob_id: blob.blob_id,
      persistence: blob.deletable ? { Deletable: { object_id: blob.id } } : { Permanent: true },
    })
    .toBytes();
}

/** Blob id text (43 characters of base64url) as the integer the contract uses. */
export function blobIdToInteger(blobId: string): bigint {
  return BigInt(bcs.u256().parse(fromBase64(blobId.replaceAll('-', '+').replaceAll('_', '/'))));
}

/** The contract's integer as blob id text. */
export function blobIdFromInteger(blobId: bigint | string): string {
  const text = toBase64(bcs.u256().serialize(blobId).toBytes());
  return text.replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_');
}

/** The input of the blob id's Blake2b-256 hash. */
export const blobIdDerivationBcs = bcs.struct('BlobIdDerivation', {
  encoding_type: bcs.u8(),
  size: bcs.u64(),
  root_hash: bcs.u256(),
});
