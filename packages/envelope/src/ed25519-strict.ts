import { equalBytes, fromHex } from './bytes.ts';

/** y of the points whose order divides 8 (two of them for each sign of x), little-endian, sign bit clear. */
const smallOrderY = [
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '0000000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
].map(fromHex);

const fieldPrime = fromHex('edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f');
const groupOrder = fromHex('edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010');

/** Compares two little-endian numbers of the same length. */
function isBelow(a: Uint8Array, b: Uint8Array): boolean {
  for (let i = a.length - 1; i >= 0; i--) {
    if (a[i] !== b[i]) return a[i]! < b[i]!;
  }
  return false;
}

/**
 * True for a 32-byte canonical encoding that is not of small order. With a small-order key one signature fits many
 * messages, and OpenSSL accepts those on some versions: so both primitive sets ask here first.
 */
export function isStrictEd25519PublicKey(publicKey: Uint8Array): boolean {
  if (publicKey.length !== 32) return false;
  const y = Uint8Array.from(publicKey);
  y[31]! &= 0x7f;
  return isBelow(y, fieldPrime) && !smallOrderY.some((small) => equalBytes(small, y));
}

/** True for 64 bytes whose S is below the group order: otherwise a signature could be altered and still hold. */
export function isStrictEd25519Signature(signature: Uint8Array): boolean {
  return signature.length === 64 && isBelow(signature.subarray(32), groupOrder);
}
