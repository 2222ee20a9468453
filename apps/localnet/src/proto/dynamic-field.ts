import { normalizeStructTag, parseStructTag } from '@mysten/sui/utils';
import type { ChainObject } from '../execution/types.ts';
import { fieldId } from '../execution/workspace.ts';

const idBytes = 32;
/** Lengths of names in bytes, for types with a fixed length. */
const fixedLengths: Readonly<Record<string, number>> = {
  address: 32,
  bool: 1,
  u8: 1,
  u16: 2,
  u32: 4,
  u64: 8,
  u128: 16,
  u256: 32,
};

/**
 * Splits a `Field<Name, Value>` into name and value. If the length of the name is not fixed, all lengths are tried
 * until the hash of the name is the object's id.
 */
export function describeField(parent: string, field: ChainObject) {
  const [nameTag, valueTag] = parseStructTag(field.type).typeParams;
  const nameType = typeof nameTag === 'string' ? nameTag : normalizeStructTag(nameTag!);
  const valueType = typeof valueTag === 'string' ? valueTag : normalizeStructTag(valueTag!);
  const rest = field.contents.subarray(idBytes);
  const length = fixedLengths[nameType] ?? searchLength(parent, field.id, nameType, rest);
  return { nameType, name: rest.slice(0, length), valueType, value: rest.slice(length) };
}

function searchLength(parent: string, id: string, nameType: string, rest: Uint8Array): number {
  for (let length = 0; length <= rest.length; length++) {
    if (fieldId(parent, { type: nameType, bytes: rest.subarray(0, length) }) === id) return length;
  }
  throw new Error(`dynamic field ${id} does not belong to ${parent}`);
}
