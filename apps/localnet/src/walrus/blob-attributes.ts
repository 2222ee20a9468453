import { type Blob, blobMetadataBcs } from '@memrelay/chain/walrus-bcs';
import { bcs } from '@mysten/sui/bcs';
import type { NativeModule, Param, TypedBcs } from '../execution/native.ts';
import { MoveAbort, type MoveObject, type NativeContext, type NativeFunction } from '../execution/native.ts';
import { blobAborts, blobFailure } from './blob-rules.ts';

type Metadata = typeof blobMetadataBcs.$inferType;
type Attributes = Metadata['metadata']['contents'];

const fieldName: TypedBcs = {
  type: 'vector<u8>',
  bytes: bcs.string().serialize('metadata').toBytes(),
};
/** Abort code of `sui::vec_map` for a missing key. */
const keyDoesNotExist = 1;
const vecMap = '0x2::vec_map';

function read(context: NativeContext, id: string): Attributes | undefined {
  const bytes = context.fields.get(id, fieldName);
  return bytes && blobMetadataBcs.parse(bytes).metadata.contents;
}

/** Removes the attributes of a blob that is deleted. */
export function removeMetadata(context: NativeContext, blobObjectId: string): void {
  context.fields.remove(blobObjectId, fieldName);
}

/** Walrus' module `metadata`: the attributes that are attached to a blob. */
export function createMetadataModule(packageId: string): NativeModule {
  const type = `${packageId}::metadata::Metadata`;
  return {
    packageId,
    name: 'metadata',
    structs: { Metadata: blobMetadataBcs },
    functions: {
      new: {
        params: [],
        returns: [{ kind: 'pure', type, bcs: blobMetadataBcs }],
        visibility: 'public',
        run: () => [{ metadata: { contents: [] } }],
      },
    },
  };
}

/** The functions of the module `blob` for attributes, which are in the dynamic field `metadata` of the blob. */
export function attributeFunctions(packageId: string): Record<string, NativeFunction> {
  const type = `${packageId}::metadata::Metadata`;
  const blob: Param = { kind: 'ref', type: `${packageId}::blob::Blob`, mutable: true };
  const text: Param = { kind: 'pure', bcs: bcs.string() };
  const metadata: Param = { kind: 'pure', bcs: blobMetadataBcs, type };
  const returnsText = { kind: 'pure', type: '0x1::string::String', bcs: bcs.string() } as const;

  function write(context: NativeContext, id: string, contents: Attributes): void {
    const bytes = blobMetadataBcs.serialize({ metadata: { contents } }).toBytes();
    context.fields.set(id, fieldName, { type, bytes });
  }

  /** Removes all attributes and returns them; undefined when there are none. */
  function take(context: NativeContext, id: string): Metadata | undefined {
    const contents = read(context, id);
    removeMetadata(context, id);
    return contents && { metadata: { contents } };
  }

  /** Removes one attribute and returns it; undefined when it does not exist. */
  function takePair(context: NativeContext, id: string, key: string): string | undefined {
    const entries = read(context, id) ?? [];
    const found = entries.find((entry) => entry.key === key);
    if (found) {
      const others = entries.filter((entry) => entry !== found);
      write(context, id, others);
    }
    return found?.value;
  }

  return {
    add_metadata: {
      params: [blob, metadata],
      visibility: 'public',
      run: (context, { id }: MoveObject<Blob>, added: Metadata) => {
        if (read(context, id)) throw blobFailure(blobAborts.duplicateMetadata, 'add_metadata');
        write(context, id, added.metadata.contents);
        return undefined;
      },
    },
    add_or_replace_metadata: {
      params: [blob, metadata],
      returns: [{ kind: 'pure', type: `0x1::option::Option<${type}>`, bcs: bcs.option(blobMetadataBcs) }],
      visibility: 'public',
      run: (context, { id }: MoveObject<Blob>, added: Metadata) => {
        const before = take(context, id);
        write(context, id, added.metadata.contents);
        return [before];
      },
    },
    take_metadata: {
      params: [blob],
      returns: [{ kind: 'pure', type, bcs: blobMetadataBcs }],
      visibility: 'public',
      run: (context, { id }: MoveObject<Blob>) => {
        const taken = take(context, id);
        if (!taken) throw blobFailure(blobAborts.missingMetadata, 'take_metadata');
        return [taken];
      },
    },
    insert_or_update_metadata_pair: {
      params: [blob, text, text],
      visibility: 'public',
      run: (context, { id }: MoveObject<Blob>, key: string, value: string) => {
        const others = (read(context, id) ?? []).filter((entry) => entry.key !== key);
        write(context, id, [...others, { key, value }]);
        return undefined;
      },
    },
    remove_metadata_pair: {
      params: [blob, text],
      returns: [returnsText, returnsText],
      visibility: 'public',
      run: (context, { id }: MoveObject<Blob>, key: string) => {
        if (!read(context, id)) throw blobFailure(blobAborts.missingMetadata, 'metadata');
        const value = takePair(context, id, key);
        if (value === undefined) throw new MoveAbort(keyDoesNotExist, vecMap, 'get_idx');
        return [key, value];
      },
    },
    remove_metadata_pair_if_exists: {
      params: [blob, text],
      returns: [
        { kind: 'pure', type: '0x1::option::Option<0x1::string::String>', bcs: bcs.option(bcs.string()) },
      ],
      visibility: 'public',
      run: (context, { id }: MoveObject<Blob>, key: string) => [takePair(context, id, key)],
    },
  };
}
