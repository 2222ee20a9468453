import { normalizeStructTag, parseStructTag } from '@mysten/sui/utils';

/** The framework's types, normalised. */
export const suiType = normalizeStructTag('0x2::sui::SUI');
export const clockType = normalizeStructTag('0x2::clock::Clock');
export const packageType = 'package';
const coinPrefix = `${normalizeStructTag('0x2::coin::Coin')}<`;

/** `Coin<T>` of a coin type. */
export function coinOf(coinType: string): string {
  return `${coinPrefix}${coinType}>`;
}

/** `T` of a `Coin<T>`, or undefined for anything else. */
export function coinTypeOf(type: string): string | undefined {
  return type.startsWith(coinPrefix) ? type.slice(coinPrefix.length, -1) : undefined;
}

/** Field object type of a dynamic field. */
export function fieldTypeOf(nameType: string, valueType: string): string {
  return normalizeStructTag(`0x2::dynamic_field::Field<${nameType}, ${valueType}>`);
}

/** Normalizes a type: full addresses, `, ` between arguments. Primitive types are unchanged. */
export function normalizeType(type: string): string {
  const vector = /^vector<(.+)>$/.exec(type);
  if (vector) return `vector<${normalizeType(vector[1]!)}>`;
  return type.includes('::') ? normalizeStructTag(type) : type;
}

/** Replaces `T0`, `T1`… by type arguments and normalizes the result. */
export function instantiate(type: string, typeArguments: readonly string[]): string {
  return normalizeType(type.replace(/\bT(\d+)\b/g, (match, index) => typeArguments[Number(index)] ?? match));
}

/** `package::module` and struct name of a struct tag. */
export function splitStructTag(type: string): { module: string; name: string } {
  const tag = parseStructTag(type);
  return { module: `${tag.address}::${tag.module}`, name: tag.name };
}

/** Whether `type` is `wanted`, or an instantiation of it if `wanted` has no type arguments. */
export function matchesType(type: string, wanted: string): boolean {
  return type === wanted || (!wanted.includes('<') && type.startsWith(`${wanted}<`));
}
