/** One share of a secret (Shamir, in the field of AES): its index and one field element per byte of the secret. */
export interface SecretShare {
  /** 1–255, different for each share */
  index: number;
  bytes: Uint8Array;
}

/** The secret of these shares: the value at 0 of the polynomials through them. Throws `RangeError` for unusable indexes. */
export function combineShares(shares: readonly SecretShare[]): Uint8Array {
  const indexes = shares.map(({ index }) => index);
  const isUsable = (index: number): boolean => Number.isInteger(index) && index > 0 && index < 256;
  if (!indexes.every(isUsable) || new Set(indexes).size !== indexes.length)
    throw new RangeError('the indexes of the shares must be different and from 1 to 255');
  const secret = new Uint8Array(shares[0]?.bytes.length ?? 0);
  for (const { index, bytes } of shares) {
    let weight = 1;
    for (const other of indexes)
      if (other !== index) weight = product(weight, product(other, inverse(other ^ index)));
    for (let i = 0; i < secret.length; i++) secret[i]! ^= product(weight, bytes[i]!);
  }
  return secret;
}

/** Modulo x⁸ + x⁴ + x³ + x + 1. Takes the same time for all values. */
function product(a: number, b: number): number {
  let result = 0;
  let shifted = a;
  for (let bit = 0; bit < 8; bit++) {
    result ^= shifted & -((b >> bit) & 1);
    shifted = (shifted << 1) ^ (0x11b & -(shifted >> 7));
  }
  return result;
}

/** `value` to the power of 254, by squaring. */
function inverse(value: number): number {
  let result = 1;
  let power = value;
  for (let bit = 1; bit < 8; bit++) {
    power = product(power, power);
    result = product(result, power);
  }
  return result;
}
