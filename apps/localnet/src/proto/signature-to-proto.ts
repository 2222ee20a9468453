import { GrpcTypes } from '@mysten/sui/grpc';
import { parseStructTag } from '@mysten/sui/utils';
import type { AnyBcs, NativeFunction, NativeModule, Param } from '../execution/native.ts';
import { normalizeType } from '../execution/type-tags.ts';

/** The Move description of a native function. `TxContext` is omitted, because callers do not pass it. */
export function functionToProto(name: string, definition: NativeFunction): GrpcTypes.FunctionDescriptor {
  const { PRIVATE, PUBLIC } = GrpcTypes.FunctionDescriptor_Visibility;
  return GrpcTypes.FunctionDescriptor.create({
    name,
    visibility: definition.visibility === 'entry' ? PRIVATE : PUBLIC,
    isEntry: definition.visibility !== 'public',
    typeParameters: Array.from({ length: definition.typeParameters ?? 0 }, () => ({ constraints: [] })),
    parameters: definition.params.map(paramToProto),
    returns: (definition.returns ?? []).map(({ type }) => ({ body: typeToProto(type) })),
  });
}

/** The Move description of a native module. It has no bytecode. */
export function moduleToProto(module: NativeModule): GrpcTypes.Module {
  return GrpcTypes.Module.create({
    name: module.name,
    functions: Object.entries(module.functions).map(([name, definition]) =>
      functionToProto(name, definition),
    ),
    datatypes: Object.keys(module.structs).map((name) => ({
      typeName: `${module.packageId}::${module.name}::${name}`,
      definingId: module.packageId,
      module: module.name,
      name,
      abilities: [],
      typeParameters: [],
      fields: [],
      variants: [],
    })),
  });
}

function paramToProto(param: Param): GrpcTypes.OpenSignature {
  if (param.kind === 'pure') return { body: typeToProto(param.type ?? moveTypeOf(param.bcs)) };
  if (param.kind === 'own') return { body: typeToProto(param.type) };
  const { IMMUTABLE, MUTABLE } = GrpcTypes.OpenSignature_Reference;
  return { reference: param.mutable ? MUTABLE : IMMUTABLE, body: typeToProto(param.type) };
}

/** The Move type of a codec. Most codecs have the name of the type that they encode. */
function moveTypeOf(codec: AnyBcs): string {
  const renamed: Record<string, string> = {
    string: '0x1::string::String',
    byteVector: 'vector<u8>',
    'bytes[32]': 'address',
  };
  return codec.name.replace(/string|byteVector|bytes\[32\]/g, (name) => renamed[name]!);
}

function typeToProto(type: string): GrpcTypes.OpenSignatureBody {
  const kinds = GrpcTypes.OpenSignatureBody_Type;
  const body = (kind: GrpcTypes.OpenSignatureBody_Type, inner: GrpcTypes.OpenSignatureBody[] = []) => ({
    type: kind,
    typeParameterInstantiation: inner,
  });
  const parameter = /^T(\d+)$/.exec(type);
  if (parameter) return { ...body(kinds.TYPE_PARAMETER), typeParameter: Number(parameter[1]) };
  const vector = /^vector<(.+)>$/.exec(type);
  if (vector) return body(kinds.VECTOR, [typeToProto(vector[1]!)]);
  if (type.includes('::')) {
    const inner = /<(.+)>$/.exec(type)?.[1];
    return {
      ...body(kinds.DATATYPE, inner ? innerTypes(type, inner) : []),
      typeName: normalizeType(type.replace(/<.+>$/, '')),
    };
  }
  const primitive = kinds[type.toUpperCase() as keyof typeof kinds];
  return body(primitive ?? kinds.TYPE_UNKNOWN);
}

function innerTypes(type: string, inner: string): GrpcTypes.OpenSignatureBody[] {
  // The tag parser does not support a type parameter on its own.
  if (/^T\d+$/.test(inner)) return [typeToProto(inner)];
  return parseStructTag(type).typeParams.map((param) =>
    typeToProto(typeof param === 'string' ? param : `${param.address}::${param.module}::${param.name}`),
  );
}
