import { concatBytes, isAllZero, requireLength, u64 } from './bytes.ts';

export const identityLength = 56;

/**
 * The input of the decision by key servers and `seal_approve`: origin 32 ‖ namespace tag 16 ‖ key epoch u64. The same
 * bytes are at 16..71 of every envelope. Throws `RangeError` on wrong sizes or an all-zero tag.
 */
export function sealIdentity(origin: Uint8Array, tag: Uint8Array, keyEpoch: bigint): Uint8Array {
  requireLength(origin, 32, 'origin');
  requireLength(tag, 16, 'namespace tag');
  if (isAllZero(tag)) throw new RangeError('namespace tag must not be all zero');
  return concatBytes(origin, tag, u64(keyEpoch));
}
