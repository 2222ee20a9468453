import { concatBytes } from './bytes.ts';
import type { Primitives } from './primitives.ts';

/** HKDF-SHA256, RFC 5869 §2.2. An empty salt equals 32 zero bytes. */
export function hkdfExtract(
  p: Primitives,
  salt: Uint8Array,
  ...keyMaterial: readonly Uint8Array[]
): Uint8Array {
  return p.hmacSha256(salt, ...keyMaterial);
}

/** HKDF-SHA256, RFC 5869 §2.3. Throws `RangeError` above 255 × 32 bytes. */
export function hkdfExpand(p: Primitives, key: Uint8Array, info: Uint8Array, length: number): Uint8Array {
  if (length > 255 * 32) throw new RangeError('HKDF output too long');
  const blocks: Uint8Array[] = [];
  let block = new Uint8Array(0);
  for (let i = 1; blocks.length * 32 < length; i++) {
    block = Uint8Array.from(p.hmacSha256(key, block, info, Uint8Array.of(i)));
    blocks.push(block);
  }
  return concatBytes(...blocks).slice(0, length);
}
