import { concatBytes, isAllZero, requireLength, u64 } from './bytes.ts';

export const identityLength = 56;

/**
 * The Seal identity, by which key servers and `seal_approve` decide: origin 32 ‖ namespace tag 16 ‖ key epoch u64. Bytes
 * 16..71 of every envelope are the same. Throws `RangeError` on wrong sizes or an all-zero tag.
 */
export function sealIdentity(origin: Uint8Array, tag: Uint8Array, keyEpoch: bigint): Uint8Array {
  requireLength(origin, 32, 'origin');
  requireLength(tag, 16, 'namespace tag');
  if (isAllZero(tag)) throw new RangeError('namespace tag must not be all zero');
  return concatBytes(origin, tag, u64(keyEpoch));
}
