import { fromHex, toHex } from './bytes.ts';

/** y of the points whose order divides 8 (two of them for each sign of x), little-endian, sign bit clear. */
const smallOrderY: ReadonlySet<string> = new Set([
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '0000000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
]);

/** p = 2^255 − 19 and the group order L, little-endian. */
const fieldPrime = fromHex('edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f');
const groupOrder = fromHex('edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010');

/** Compares two little-endian numbers of 32 bytes. */
function isBelow(a: Uint8Array, b: Uint8Array): boolean {
  for (let i = 31; i >= 0; i--) if (a[i] !== b[i]) return a[i]! < b[i]!;
  return false;
}

/**
 * True for a 32-byte canonical encoding that is not of small order. It need not be a point of the curve. With a
 * small-order key one signature fits many messages.
 */
export function isStrictEd25519Point(encoded: Uint8Array): boolean {
  if (encoded.length !== 32) return false;
  const y = Uint8Array.from(encoded);
  y[31]! &= 0x7f;
  return isBelow(y, fieldPrime) && !smallOrderY.has(toHex(y));
}

/**
 * True for 64 bytes whose R is canonical and not of small order, and whose S is below the group order: with a larger
 * S a signature could be altered and remain valid.
 */
export function isStrictEd25519Signature(signature: Uint8Array): boolean {
  return (
    signature.length === 64 &&
    isStrictEd25519Point(signature.subarray(0, 32)) &&
    isBelow(signature.subarray(32), groupOrder)
  );
}

/** Whether S·B = R + k·A holds exactly, without the cofactor (RFC 8032 §5.1.7); may throw for bytes that are not a point. */
export type Ed25519Equation = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean;

/**
 * Strict Ed25519 verification: the equation holds, S is below the group order, and neither the key nor R is of small
 * order or non-canonical. OpenSSL does not guarantee those rules, so they are checked here: every library and Node
 * version gives the same result. Never throws.
 */
export function verifyStrictEd25519(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
  equation: Ed25519Equation,
): boolean {
  if (!isStrictEd25519Point(publicKey) || !isStrictEd25519Signature(signature)) return false;
  try {
    return equation(publicKey, message, signature);
  } catch {
    return false;
  }
}
