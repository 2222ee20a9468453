import { type Blob, type Storage, walrusEventBcs } from '@memrelay/chain/walrus-bcs';
import { walrusObjectBcs } from '@memrelay/chain/walrus-state-bcs';
import { bcs } from '@mysten/sui/bcs';
import type { MoveObject, NativeModule, Param } from '../execution/native.ts';
import {
  type Coin,
  certifyBlob,
  deleteBlob,
  extendBlob,
  extendBlobWithResource,
  registerBlob,
  reserveSpace,
  reserveSpaceForEpochs,
  type WalrusSettings,
} from './blob-life.ts';

/**
 * Walrus' module `system`: buying storage and the lifecycle of blobs. Codes and rules are those of the contract,
 * release 1.56.
 */
export function createSystemModule(settings: WalrusSettings): NativeModule {
  const { packageId } = settings;
  const readSystem: Param = { kind: 'ref', type: `${packageId}::system::System`, mutable: false };
  const system: Param = { ...readSystem, mutable: true };
  const storage = `${packageId}::storage_resource::Storage`;
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
        returns: [{ kind: 'own', type: storage }],
        visibility: 'public',
        run: (context, _system, amount: string, epochs: number, coin: Coin) => [
          reserveSpace(settings, context, Number(amount), epochs, coin),
        ],
      },
      reserve_space_for_epochs: {
        params: [system, number(bcs.u64()), number(bcs.u32()), number(bcs.u32()), payment],
        returns: [{ kind: 'own', type: storage }],
        visibility: 'public',
        run: (context, _system, amount: string, start: number, end: number, coin: Coin) => [
          reserveSpaceForEpochs(settings, context, Number(amount), { start, end }, coin),
        ],
      },
      register_blob: {
        params: [
          system,
          { kind: 'own', type: storage },
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
        prepare: (calls) =>
          settings.verifier.prepare(
            calls.flatMap(([, , signature, signers, message]) =>
              signature instanceof Uint8Array &&
              signers instanceof Uint8Array &&
              message instanceof Uint8Array
                ? [{ signature, signers, message }]
                : [],
            ),
          ),
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
        returns: [{ kind: 'own', type: storage }],
        visibility: 'public',
        run: (context, _system, object: MoveObject<Blob>) => [deleteBlob(settings, context, object)],
      },
      extend_blob_with_resource: {
        params: [readSystem, blob, { kind: 'own', type: storage }],
        visibility: 'public',
        run: (context, _system, object: MoveObject<Blob>, extension: MoveObject<Storage>) => {
          extendBlobWithResource(context, object.value, extension);
          return undefined;
        },
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

/** The module whose structs are the events of `system`. */
export function createEventsModule(packageId: string): NativeModule {
  return { packageId, name: 'events', structs: walrusEventBcs, functions: {} };
}
