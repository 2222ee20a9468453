import { type Blob, type Storage, storageBcs, walrusEventBcs } from '@memrelay/chain/walrus-bcs';
import { encodedBlobLength, storageUnits, type WalrusPrices } from '@memrelay/chain/walrus-sizes';
import { walrusObjectBcs } from '@memrelay/chain/walrus-state-bcs';
import { bcs } from '@mysten/sui/bcs';
import { takeFromCoin } from '../move/framework.ts';
import {
  MoveAbort,
  type MoveObject,
  type NativeContext,
  type NativeModule,
  type Param,
} from '../move/native.ts';
import { removeMetadata } from './blob-module.ts';
import { blobAborts, blobFailure, deriveBlobId, requireCertified } from './blob-rules.ts';
import type { CertificateVerifier } from './certificate.ts';

export interface WalrusSettings {
  packageId: string;
  walType: string;
  nShards: number;
  prices: WalrusPrices;
  maxEpochsAhead: number;
  verifier: CertificateVerifier;
}

type Coin = MoveObject<{ id: string; balance: string }>;

/** Abort codes of `system_state_inner`. */
const invalidEpochsAhead = 2;
const invalidResourceSize = 11;

/** Walrus' module `system`: buying space, and a blob's life. Codes and rules as in the contract, 1.56. */
export function createSystemModule(settings: WalrusSettings): NativeModule {
  const { packageId } = settings;
  const readSystem: Param = { kind: 'ref', type: `${packageId}::system::System`, mutable: false };
  const system: Param = { ...readSystem, mutable: true };
  const blob: Param = { kind: 'ref', type: `${packageId}::blob::Blob`, mutable: true };
  const payment: Param = { kind: 'ref', type: `0x2::coin::Coin<${settings.walType}>`, mutable: true };
  const bytes: Param = { kind: 'pure', bcs: bcs.byteVector() };
  const number = (codec: Extract<Param, { kind: 'pure' }>['bcs']): Param => ({ kind: 'pure', bcs: codec });
  return {
    packageId,
    name: 'system',
    structs: { System: walrusObjectBcs },
    keyOnly: ['System'],
    functions: {
      reserve_space: {
        params: [system, number(bcs.u64()), number(bcs.u32()), payment],
        returns: [{ kind: 'own', type: `${packageId}::storage_resource::Storage` }],
        visibility: 'public',
        run: (context, _system, amount: string, epochs: number, coin: Coin) => [
          reserveSpace(settings, context, Number(amount), epochs, coin),
        ],
      },
      register_blob: {
        params: [
          system,
          { kind: 'own', type: `${packageId}::storage_resource::Storage` },
          number(bcs.u256()),
          number(bcs.u256()),
          number(bcs.u64()),
          number(bcs.u8()),
          number(bcs.bool()),
          payment,
        ],
        returns: [{ kind: 'own', type: `${packageId}::blob::Blob` }],
        visibility: 'public',
        run: (
          context,
          _system,
          storage: MoveObject<Storage>,
          ...rest: [string, string, string, number, boolean, Coin]
        ) => {
          const [blobId, rootHash, size, encodingType, deletable, coin] = rest;
          const described = {
            blobId: BigInt(blobId),
            rootHash: BigInt(rootHash),
            size: Number(size),
            encodingType,
            deletable,
          };
          return [registerBlob(settings, context, storage, described, coin)];
        },
      },
      certify_blob: {
        params: [readSystem, blob, bytes, bytes, bytes],
        visibility: 'public',
        run: (
          context,
          _system,
          object: MoveObject<Blob>,
          signature: Uint8Array,
          signers: Uint8Array,
          message: Uint8Array,
        ) => {
          certifyBlob(settings, context, object.value, { signature, signers, message });
          return undefined;
        },
      },
      delete_blob: {
        params: [readSystem, { kind: 'own', type: `${packageId}::blob::Blob` }],
        returns: [{ kind: 'own', type: `${packageId}::storage_resource::Storage` }],
        visibility: 'public',
        run: (context, _system, object: MoveObject<Blob>) => [deleteBlob(settings, context, object)],
      },
      extend_blob: {
        params: [system, blob, number(bcs.u32()), payment],
        visibility: 'public',
        run: (context, _system, object: MoveObject<Blob>, epochs: number, coin: Coin) => {
          extendBlob(settings, context, object.value, epochs, coin);
          return undefined;
        },
      },
    },
  };
}

/** The modules whose structs `system` makes: events and storage. */
export function createSystemStructs(packageId: string): NativeModule[] {
  return [
    { packageId, name: 'events', structs: walrusEventBcs, functions: {} },
    {
      packageId,
      name: 'storage_resource',
      structs: { Storage: storageBcs },
      functions: {
        destroy: {
          params: [{ kind: 'own', type: `${packageId}::storage_resource::Storage` }],
          visibility: 'public',
          run: (context, storage: MoveObject<Storage>) => {
            context.destroy(storage);
            return undefined;
          },
        },
      },
    },
  ];
}

function reserveSpace(
  settings: WalrusSettings,
  context: NativeContext,
  amount: number,
  epochs: number,
  coin: Coin,
): MoveObject<Storage> {
  const abort = (code: number) => new MoveAbort(code, 'system_state_inner', 'reserve_space');
  if (epochs === 0 || epochs > settings.maxEpochsAhead) throw abort(invalidEpochsAhead);
  takeFromCoin(coin, storageUnits(amount) * settings.prices.storage * BigInt(epochs));
  if (amount === 0) throw abort(invalidResourceSize);
  const start = Number(context.epoch);
  const id = context.newObjectId();
  const value = { id, start_epoch: start, end_epoch: start + epochs, storage_size: amount.toString() };
  return { id, type: `${settings.packageId}::storage_resource::Storage`, value };
}

interface DescribedBlob {
  blobId: bigint;
  rootHash: bigint;
  size: number;
  encodingType: number;
  deletable: boolean;
}

function registerBlob(
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
  if (encodedSize > Number(storage_size)) throw blobFailure(blobAborts.resourceSize, 'new');
  if (deriveBlobId(rootHash, encodingType, size) !== blobId)
    throw blobFailure(blobAborts.invalidBlobId, 'new');
  takeFromCoin(coin, storageUnits(encodedSize) * settings.prices.write);
  const id = context.newObjectId();
  // The storage is wrapped: it stands inside the blob from now on, not by itself.
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

interface Certificate {
  signature: Uint8Array;
  signers: Uint8Array;
  message: Uint8Array;
}

function certifyBlob(
  settings: WalrusSettings,
  context: NativeContext,
  blob: Blob,
  certificate: Certificate,
): void {
  const epoch = Number(context.epoch);
  const { signature, signers, message } = certificate;
  const certified = settings.verifier.verify(signature, signers, message, epoch);
  const abort = (code: number) => blobFailure(code, 'certify_with_certified_msg');
  if (certified.blobId !== BigInt(blob.blob_id)) throw abort(blobAborts.invalidBlobId);
  if (blob.certified_epoch !== null) throw abort(blobAborts.alreadyCertified);
  if (epoch >= blob.storage.end_epoch) throw abort(blobAborts.resourceBounds);
  if ((certified.objectId !== undefined) !== blob.deletable) throw abort(blobAborts.invalidPersistence);
  if (blob.deletable && certified.objectId !== blob.id) throw abort(blobAborts.invalidBlobObject);
  blob.certified_epoch = epoch;
  emitCertified(context, blob, false);
}

function deleteBlob(
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

function extendBlob(
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

/** The event carries the epoch of the first certification, for extensions too. */
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
