/** Unsigned LEB128: lengths and counts in BCS, compiled Move modules and WebAssembly. */

/** The shortest form of a whole number from 0 to 2^53 − 1. */
export function encodeUleb128(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  bytes.push(rest);
  return bytes;
}

/**
 * Reads a number byte by byte. Throws `RangeError` for a number that is longer than `maxBytes` (1 to 7) or not in its
 * shortest form. `nextByte` throws where the bytes end.
 */
export function readUleb128(nextByte: () => number, maxBytes: number): number {
  let value = 0;
  for (let index = 0; index < maxBytes; index++) {
    const byte = nextByte();
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte >= 0x80) continue;
    if (byte === 0 && index > 0) throw new RangeError('ULEB128 number not in its shortest form');
    return value;
  }
  throw new RangeError('ULEB128 number too long');
}
