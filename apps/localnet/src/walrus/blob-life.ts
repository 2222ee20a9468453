import { type Blob, encodingTypeRs2, type Storage } from '@memrelay/chain/walrus-bcs';
import { encodedBlobLength, storageUnits, type WalrusPrices } from '@memrelay/chain/walrus-sizes';
import { MoveAbort, type MoveObject, type NativeContext } from '../execution/native.ts';
import { takeFromCoin } from '../move/framework.ts';
import { removeMetadata } from './blob-attributes.ts';
import { blobAborts, blobFailure, deriveBlobId, requireCertified } from './blob-rules.ts';
import type { CertificateVerifier, SignedCertificate } from './certificate.ts';
import { fusePeriods } from './storage-module.ts';

/** The rules of Walrus' `system_state_inner`, in the same order, so that the same rule aborts first. */

export interface WalrusSettings {
  packageId: string;
  walType: string;
  nShards: number;
  prices: WalrusPrices;
  maxEpochsAhead: number;
  verifier: CertificateVerifier;
}

export type Coin = MoveObject<{ id: string; balance: string }>;

/** Abort codes of `system_state_inner`. */
const invalidEpochsAhead = 2;
const invalidResourceSize = 11;
/** Abort code of `encoding`. */
const invalidEncodingType = 0;

/** Buys storage for `amount` encoded bytes for `epochs` epochs, starting now. */
export function reserveSpace(
  settings: WalrusSettings,
  context: NativeContext,
  amount: number,
  epochs: number,
  coin: Coin,
): MoveObject<Storage> {
  if (epochs === 0 || epochs > settings.maxEpochsAhead)
    throw new MoveAbort(invalidEpochsAhead, 'system_state_inner', 'reserve_space');
  const start = Number(context.epoch);
  return reserveSpaceForEpochs(settings, context, amount, { start, end: start + epochs }, coin);
}

/**
 * Buys storage for `amount` encoded bytes from the epoch `start` (or now, if that has passed) until `end` begins.
 */
export function reserveSpaceForEpochs(
  settings: WalrusSettings,
  context: NativeContext,
  amount: number,
  { start: wantedStart, end }: { start: number; end: number },
  coin: Coin,
): MoveObject<Storage> {
  const abort = (code: number) => new MoveAbort(code, 'system_state_inner', 'reserve_space_for_epochs');
  const epoch = Number(context.epoch);
  const start = Math.max(wantedStart, epoch);
  if (end <= start || end - epoch > settings.maxEpochsAhead) throw abort(invalidEpochsAhead);
  takeFromCoin(coin, storageUnits(amount) * settings.prices.storage * BigInt(end - start));
  if (amount === 0) throw abort(invalidResourceSize);
  const id = context.newObjectId();
  const value = { id, start_epoch: start, end_epoch: end, storage_size: amount.toString() };
  return { id, type: `${settings.packageId}::storage_resource::Storage`, value };
}

/** The description of a blob in its registration. */
export interface DescribedBlob {
  blobId: bigint;
  rootHash: bigint;
  size: number;
  encodingType: number;
  deletable: boolean;
}

/** Registers a blob in storage, which becomes part of the blob. */
export function registerBlob(
  settings: WalrusSettings,
  context: NativeContext,
  storage: MoveObject<Storage>,
  { blobId, rootHash, size, encodingType, deletable }: DescribedBlob,
  coin: Coin,
): MoveObject<Blob> {
  const epoch = Number(context.epoch);
  const { start_epoch, end_epoch, storage_size } = storage.value;
  const encodedSize = encodedBlobLength(size, settings.nShards);
  if (epoch < start_epoch || epoch >= end_epoch) throw blobFailure(blobAborts.resourceBounds, 'new');
  if (encodingType !== encodingTypeRs2)
    throw new MoveAbort(invalidEncodingType, 'encoding', 'encoded_blob_length');
  if (encodedSize > Number(storage_size)) throw blobFailure(blobAborts.resourceSize, 'new');
  if (deriveBlobId(rootHash, encodingType, size) !== blobId)
    throw blobFailure(blobAborts.invalidBlobId, 'new');
  takeFromCoin(coin, storageUnits(encodedSize) * settings.prices.write);
  const id = context.newObjectId();
  // The storage object is wrapped, because it is now part of the blob.
  context.destroy(storage);
  const value: Blob = {
    id,
    registered_epoch: epoch,
    blob_id: blobId.toString(),
    size: size.toString(),
    encoding_type: encodingType,
    certified_epoch: null,
    storage: storage.value,
    deletable,
  };
  const { blob_id, encoding_type } = value;
  context.emit('events::BlobRegistered', {
    epoch,
    blob_id,
    size,
    encoding_type,
    end_epoch,
    deletable,
    object_id: id,
  });
  return { id, type: `${settings.packageId}::blob::Blob`, value };
}

/** Marks a blob as stored. Requires a certificate of the storage nodes for this epoch. */
export function certifyBlob(
  settings: WalrusSettings,
  context: NativeContext,
  blob: Blob,
  certificate: SignedCertificate,
): void {
  const epoch = Number(context.epoch);
  const certified = settings.verifier.verify(certificate, epoch);
  const abort = (code: number) => blobFailure(code, 'certify_with_certified_msg');
  if (certified.blobId !== BigInt(blob.blob_id)) throw abort(blobAborts.invalidBlobId);
  if (blob.certified_epoch !== null) throw abort(blobAborts.alreadyCertified);
  if (epoch >= blob.storage.end_epoch) throw abort(blobAborts.resourceBounds);
  if ((certified.objectId !== undefined) !== blob.deletable) throw abort(blobAborts.invalidPersistence);
  if (blob.deletable && certified.objectId !== blob.id) throw abort(blobAborts.invalidBlobObject);
  blob.certified_epoch = epoch;
  emitCertified(context, blob, false);
}

/** Deletes a deletable blob and returns its storage. */
export function deleteBlob(
  settings: WalrusSettings,
  context: NativeContext,
  object: MoveObject<Blob>,
): MoveObject<Storage> {
  const { blob_id, certified_epoch, deletable, id, storage } = object.value;
  const epoch = Number(context.epoch);
  if (!deletable) throw blobFailure(blobAborts.notDeletable, 'delete');
  if (storage.end_epoch <= epoch) throw blobFailure(blobAborts.resourceBounds, 'delete');
  removeMetadata(context, id);
  context.destroy(object);
  const was_certified = certified_epoch !== null;
  context.emit('events::BlobDeleted', {
    epoch,
    blob_id,
    end_epoch: storage.end_epoch,
    object_id: id,
    was_certified,
  });
  return { id: storage.id, type: `${settings.packageId}::storage_resource::Storage`, value: storage };
}

/** Extends a certified blob by a number of epochs. */
export function extendBlob(
  settings: WalrusSettings,
  context: NativeContext,
  blob: Blob,
  epochs: number,
  coin: Coin,
): void {
  const epoch = Number(context.epoch);
  requireCertified(blob, epoch);
  const abort = () => new MoveAbort(invalidEpochsAhead, 'system_state_inner', 'extend_blob');
  if (epochs === 0) throw abort();
  const end = blob.storage.end_epoch + epochs;
  if (end - epoch > settings.maxEpochsAhead) throw abort();
  takeFromCoin(
    coin,
    storageUnits(Number(blob.storage.storage_size)) * settings.prices.storage * BigInt(epochs),
  );
  blob.storage.end_epoch = end;
  emitCertified(context, blob, true);
}

/** Extends a certified blob with a storage object of the same size that continues its own. */
export function extendBlobWithResource(
  context: NativeContext,
  blob: Blob,
  extension: MoveObject<Storage>,
): void {
  requireCertified(blob, Number(context.epoch));
  if (extension.value.end_epoch <= blob.storage.end_epoch)
    throw blobFailure(blobAborts.resourceBounds, 'extend_with_resource');
  context.destroy(extension);
  fusePeriods(blob.storage, extension.value);
  emitCertified(context, blob, true);
}

/** The event contains the epoch of the first certification, even for extensions. */
function emitCertified(context: NativeContext, blob: Blob, isExtension: boolean): void {
  context.emit('events::BlobCertified', {
    epoch: blob.certified_epoch,
    blob_id: blob.blob_id,
    end_epoch: blob.storage.end_epoch,
    deletable: blob.deletable,
    object_id: blob.id,
    is_extension: isExtension,
  });
}
