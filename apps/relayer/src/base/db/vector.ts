/** pgvector's binary form: `u16 dimension ‖ u16 0 ‖ f32 big-endian …`, five times cheaper than text (measured). */
export function encodeVector(values: Float32Array): Buffer {
  const bytes = Buffer.allocUnsafe(4 + values.length * 4);
  bytes.writeUInt16BE(values.length, 0);
  bytes.writeUInt16BE(0, 2);
  Buffer.from(values.buffer, values.byteOffset, values.byteLength).copy(bytes, 4);
  bytes.subarray(4).swap32();
  return bytes;
}

/** Which numbers are positive, as pgvector's `binary_quantize` gives it: the text form of `bit`. */
export function signBits(values: Float32Array): string {
  const bits = Buffer.alloc(values.length, '0');
  for (let i = 0; i < values.length; i++) if (values[i]! > 0) bits[i] = 0x31;
  return bits.toString('latin1');
}

/** The numbers of pgvector's binary form, as `vector_send` gives it. */
export function decodeVector(bytes: Buffer): Float32Array {
  const values = new Float32Array(bytes.readUInt16BE(0));
  for (let i = 0; i < values.length; i++) values[i] = bytes.readFloatBE(4 + i * 4);
  return values;
}
