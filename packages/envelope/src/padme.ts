/** Minimum size in bytes of a body plaintext, so that short memories look alike. */
export const minPlaintextLength = 1_024;

/**
 * Padmé (Nikitin et al., "Reducing Metadata Leakage from Encrypted Files and Communication with PURBs", PETS 2019):
 * rounds a length up to a floating-point number whose mantissa has no more bits than its exponent. Costs at most 12 %. For
 * integers from 1 to 2^31 − 1.
 */
export function padme(length: number): number {
  const exponent = 31 - Math.clz32(length);
  const roundedBits = exponent - (32 - Math.clz32(exponent));
  if (roundedBits <= 0) return length;
  const step = 2 ** roundedBits;
  return Math.ceil(length / step) * step;
}

/** Size of a body plaintext whose content has `length` bytes. */
export function paddedLength(length: number): number {
  return Math.max(minPlaintextLength, padme(length));
}
