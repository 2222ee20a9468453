/** Byte operations for Node and browsers. All integers of the format are little-endian. Hex and base64 are in `protocol`. */

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

/** Not constant time: for public values, or where a match reveals nothing. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

export function isAllZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

/** The same bytes as a plain `Uint8Array` view: a Node `Buffer` has another `slice`, which shares memory. */
export function plainView(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function readU32(bytes: Uint8Array, offset: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(offset, true);
}

export function u32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}

export function readU64(bytes: Uint8Array, offset: number): bigint {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getBigUint64(offset, true);
}

/** Throws `RangeError` outside 0 … 2^64 − 1 (the view itself would wrap around silently). */
export function u64(value: bigint): Uint8Array {
  if (value < 0n || value > 0xffff_ffff_ffff_ffffn) throw new RangeError('not an unsigned 64-bit number');
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value, true);
  return bytes;
}

const encoder = new TextEncoder();

/** UTF-8 of a string. Throws `RangeError` on a lone surrogate, which the encoder would silently replace. */
export function utf8(text: string): Uint8Array {
  if (!text.isWellFormed()) throw new RangeError('text is not well-formed Unicode');
  return encoder.encode(text);
}

/** Throws `RangeError` unless `bytes` has exactly `length` bytes. Only for arguments of the caller, never for parsed data. */
export function requireLength(bytes: Uint8Array, length: number, name: string): void {
  if (bytes.length !== length) throw new RangeError(`${name} must be ${length} bytes, got ${bytes.length}`);
}
