import { type Blob, blobBcs } from '@memrelay/chain/walrus-bcs';
import { bcs } from '@mysten/sui/bcs';
import type { AnyBcs, MoveObject, NativeFunction, NativeModule } from '../execution/native.ts';
import { attributeFunctions, removeMetadata } from './blob-attributes.ts';

/** Walrus' module `blob`: a blob's attributes, accessors, and burning its object. */
export function createBlobModule(packageId: string): NativeModule {
  const type = `${packageId}::blob::Blob`;

  function reader(returned: string, codec: AnyBcs, read: (blob: Blob) => unknown): NativeFunction {
    return {
      params: [{ kind: 'ref', type, mutable: false }],
      returns: [{ kind: 'pure', type: returned, bcs: codec }],
      visibility: 'public',
      run: (_context, { value }: MoveObject<Blob>) => [read(value)],
    };
  }

  return {
    packageId,
    name: 'blob',
    structs: { Blob: blobBcs },
    functions: {
      object_id: reader('0x2::object::ID', bcs.Address, ({ id }) => id),
      blob_id: reader('u256', bcs.u256(), ({ blob_id }) => blob_id),
      size: reader('u64', bcs.u64(), ({ size }) => size),
      encoding_type: reader('u8', bcs.u8(), ({ encoding_type }) => encoding_type),
      registered_epoch: reader('u32', bcs.u32(), ({ registered_epoch }) => registered_epoch),
      certified_epoch: reader(
        '0x1::option::Option<u32>',
        bcs.option(bcs.u32()),
        ({ certified_epoch }) => certified_epoch,
      ),
      end_epoch: reader('u32', bcs.u32(), ({ storage }) => storage.end_epoch),
      is_deletable: reader('bool', bcs.bool(), ({ deletable }) => deletable),
      ...attributeFunctions(packageId),
      burn: {
        params: [{ kind: 'own', type }],
        visibility: 'public',
        run: (context, object: MoveObject<Blob>) => {
          removeMetadata(context, object.id);
          context.destroy(object);
          return undefined;
        },
      },
    },
  };
}
