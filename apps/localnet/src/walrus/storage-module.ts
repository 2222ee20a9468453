import { type Storage, storageBcs } from '@memrelay/chain/walrus-bcs';
import { bcs } from '@mysten/sui/bcs';
import type { AnyBcs, NativeContext, NativeModule, Param } from '../execution/native.ts';
import { MoveAbort, type MoveObject, type NativeFunction } from '../execution/native.ts';

/** Abort codes of `storage_resource`. */
export const storageAborts = {
  invalidEpoch: 0,
  incompatibleEpochs: 1,
  incompatibleAmount: 2,
} as const;

function failure(code: number, functionName: string): MoveAbort {
  return new MoveAbort(code, 'storage_resource', functionName);
}

/**
 * Merges `second` into `first`. It must have the same size, and begin where `first` ends or end where it begins.
 */
export function fusePeriods(first: Storage, second: Storage): void {
  if (first.storage_size !== second.storage_size)
    throw failure(storageAborts.incompatibleAmount, 'fuse_periods');
  if (first.end_epoch === second.start_epoch) first.end_epoch = second.end_epoch;
  else if (first.start_epoch === second.end_epoch) first.start_epoch = second.start_epoch;
  else throw failure(storageAborts.incompatibleEpochs, 'fuse_periods');
}

function fuseAmount(first: Storage, second: Storage): void {
  if (first.start_epoch !== second.start_epoch || first.end_epoch !== second.end_epoch)
    throw failure(storageAborts.incompatibleEpochs, 'fuse_amount');
  first.storage_size = (BigInt(first.storage_size) + BigInt(second.storage_size)).toString();
}

/** Walrus' module `storage_resource`: storage that was bought, which can be split and merged. */
export function createStorageModule(packageId: string): NativeModule {
  const type = `${packageId}::storage_resource::Storage`;
  const changed: Param = { kind: 'ref', type, mutable: true };
  const consumed: Param = { kind: 'own', type };

  function reader(returned: string, codec: AnyBcs, read: (storage: Storage) => unknown): NativeFunction {
    return {
      params: [{ kind: 'ref', type, mutable: false }],
      returns: [{ kind: 'pure', type: returned, bcs: codec }],
      visibility: 'public',
      run: (_context, { value }: MoveObject<Storage>) => [read(value)],
    };
  }

  function fusing(join: (first: Storage, second: Storage) => void): NativeFunction {
    return {
      params: [changed, consumed],
      visibility: 'public',
      run: (context, first: MoveObject<Storage>, second: MoveObject<Storage>) => {
        context.destroy(second);
        join(first.value, second.value);
        return undefined;
      },
    };
  }

  function piece(context: NativeContext, of: Storage, part: Partial<Storage>): MoveObject<Storage> {
    const id = context.newObjectId();
    return { id, type, value: { ...of, ...part, id } };
  }

  return {
    packageId,
    name: 'storage_resource',
    structs: { Storage: storageBcs },
    functions: {
      start_epoch: reader('u32', bcs.u32(), ({ start_epoch }) => start_epoch),
      end_epoch: reader('u32', bcs.u32(), ({ end_epoch }) => end_epoch),
      size: reader('u64', bcs.u64(), ({ storage_size }) => storage_size),
      split_by_epoch: {
        params: [changed, { kind: 'pure', bcs: bcs.u32() }],
        returns: [{ kind: 'own', type }],
        visibility: 'public',
        run: (context, { value }: MoveObject<Storage>, epoch: number) => {
          if (epoch <= value.start_epoch || epoch >= value.end_epoch)
            throw failure(storageAborts.invalidEpoch, 'split_by_epoch');
          const rest = piece(context, value, { start_epoch: epoch });
          value.end_epoch = epoch;
          return [rest];
        },
      },
      split_by_size: {
        params: [changed, { kind: 'pure', bcs: bcs.u64() }],
        returns: [{ kind: 'own', type }],
        visibility: 'public',
        run: (context, { value }: MoveObject<Storage>, size: string) => {
          const left = BigInt(value.storage_size) - BigInt(size);
          if (left < 0n) throw failure(storageAborts.incompatibleAmount, 'split_by_size');
          const rest = piece(context, value, { storage_size: left.toString() });
          value.storage_size = size;
          return [rest];
        },
      },
      fuse_periods: fusing(fusePeriods),
      fuse_amount: fusing(fuseAmount),
      fuse: fusing((first, second) =>
        first.start_epoch === second.start_epoch ? fuseAmount(first, second) : fusePeriods(first, second),
      ),
      destroy: {
        params: [consumed],
        visibility: 'public',
        run: (context, storage: MoveObject<Storage>) => {
          context.destroy(storage);
          return undefined;
        },
      },
    },
  };
}
