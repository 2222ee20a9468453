import { type Blob, blobBcs, blobMetadataBcs } from '@memrelay/chain/walrus-bcs';
import { bcs } from '@mysten/sui/bcs';
import type { MoveObject, NativeContext, NativeModule, Param, TypedBcs } from '../move/native.ts';
import { blobAborts, blobFailure } from './blob-rules.ts';

type Metadata = typeof blobMetadataBcs.$inferType;
type Attributes = Metadata['metadata']['contents'];

const fieldName: TypedBcs = {
  type: 'vector<u8>',
  bytes: bcs.string().serialize('metadata').toBytes(),
};

/** Walrus' modules `blob` and `metadata`: a blob's attributes, and giving its object up. */
export function createBlobModules(packageId: string): NativeModule[] {
  const metadataType = `${packageId}::metadata::Metadata`;
  const blob: Param = { kind: 'ref', type: `${packageId}::blob::Blob`, mutable: true };
  const text: Param = { kind: 'pure', bcs: bcs.string() };
  const metadata: Param = { kind: 'pure', bcs: blobMetadataBcs, type: metadataType };
  const write = (context: NativeContext, id: string, contents: Attributes) => {
    const bytes = blobMetadataBcs.serialize({ metadata: { contents } }).toBytes();
    context.fields.set(id, fieldName, { type: metadataType, bytes });
  };
  return [
    {
      packageId,
      name: 'metadata',
      structs: { Metadata: blobMetadataBcs },
      functions: {
        new: {
          params: [],
          returns: [{ kind: 'pure', type: metadataType, bcs: blobMetadataBcs }],
          visibility: 'public',
          run: () => [{ metadata: { contents: [] } }],
        },
      },
    },
    {
      packageId,
      name: 'blob',
      structs: { Blob: blobBcs },
      functions: {
        burn: {
          params: [{ kind: 'own', type: `${packageId}::blob::Blob` }],
          visibility: 'public',
          run: (context, object: MoveObject<Blob>) => {
            removeMetadata(context, object.id);
            context.destroy(object);
            return undefined;
          },
        },
        add_metadata: {
          params: [blob, metadata],
          visibility: 'public',
          run: (context, object: MoveObject<Blob>, added: Metadata) => {
            if (read(context, object.id)) throw blobFailure(blobAborts.duplicateMetadata, 'add_metadata');
            write(context, object.id, added.metadata.contents);
            return undefined;
          },
        },
        insert_or_update_metadata_pair: {
          params: [blob, text, text],
          visibility: 'public',
          run: (context, object: MoveObject<Blob>, key: string, value: string) => {
            const others = (read(context, object.id) ?? []).filter((entry) => entry.key !== key);
            write(context, object.id, [...others, { key, value }]);
            return undefined;
          },
        },
        remove_metadata_pair: {
          params: [blob, text],
          visibility: 'public',
          run: (context, object: MoveObject<Blob>, key: string) => {
            const entries = read(context, object.id);
            if (!entries?.some((entry) => entry.key === key)) {
              throw blobFailure(blobAborts.missingMetadata, 'remove_metadata_pair');
            }
            write(
              context,
              object.id,
              entries.filter((entry) => entry.key !== key),
            );
            return undefined;
          },
        },
      },
    },
  ];
}

/** A blob's attributes go with it. */
export function removeMetadata(context: NativeContext, blobObjectId: string): void {
  context.fields.remove(blobObjectId, fieldName);
}

function read(context: NativeContext, id: string): Attributes | undefined {
  const bytes = context.fields.get(id, fieldName);
  return bytes && blobMetadataBcs.parse(bytes).metadata.contents;
}
