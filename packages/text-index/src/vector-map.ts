/**
 * HKDF-SHA-256 (RFC 5869) with an empty salt: `length` bytes for a key and an info string. Passed in, because the
 * relayer uses OpenSSL and browsers have none.
 */
export type ExpandKey = (key: Uint8Array, info: string, length: number) => Uint8Array;

/**
 * The keyed orthogonal map of security.md, "At rest": three rounds of sign flips, a permutation and a blockwise
 * Hadamard transform, all drawn from a key: the account's in the relayer, a search secret's in a client. Inner products
 * are kept exactly (up to rounding), so search works on mapped vectors, but an inverter trained on the unmapped model
 * does not. The map also spreads every vector over all coordinates, which makes the sign bits of `code` a good first
 * pass.
 */
export interface VectorMap {
  apply(vector: Float32Array): Float32Array;
  /** Reverses `apply`, up to rounding */
  invert(mapped: Float32Array): Float32Array;
}

const rounds = 3;

interface Round {
  signs: Float32Array;
  permutation: Uint32Array;
}

/** `key`: 32 bytes. The same key and dimension always give the same map. */
export function createVectorMap(expand: ExpandKey, key: Uint8Array, dimension: number): VectorMap {
  const block = 1 << Math.floor(Math.log2(blockSource(dimension)));
  const stages = Array.from({ length: rounds }, (_, round) =>
    drawRound(wordStream(expand, key, round), dimension),
  );
  const check = ({ length }: Float32Array): void => {
    if (length !== dimension) throw new RangeError(`expected ${dimension} dimensions, got ${length}`);
  };
  const transform = (values: Float32Array): void => {
    for (let start = 0; start + block <= dimension; start += block) hadamard(values, start, block);
  };
  return {
    apply(vector) {
      check(vector);
      let current = Float32Array.from(vector);
      for (const { signs, permutation } of stages) {
        const next = new Float32Array(dimension);
        for (let i = 0; i < dimension; i++) next[i] = current[permutation[i]!]! * signs[i]!;
        transform(next);
        current = next;
      }
      return current;
    },
    invert(mapped) {
      check(mapped);
      let current = Float32Array.from(mapped);
      for (const { signs, permutation } of stages.toReversed()) {
        // The transform is its own inverse
        transform(current);
        const previous = new Float32Array(dimension);
        for (let i = 0; i < dimension; i++) previous[permutation[i]!] = current[i]! * signs[i]!;
        current = previous;
      }
      return current;
    },
  };
}

/**
 * The block length: the largest power of two that divides the dimension, if that is at least 64 (1536 → 512). Otherwise
 * the largest power of two that fits; the permutations then mix in the remaining coordinates.
 */
function blockSource(dimension: number): number {
  const divisor = dimension & -dimension;
  return divisor >= 64 ? divisor : dimension;
}

function drawRound(draw: () => number, dimension: number): Round {
  const signs = new Float32Array(dimension);
  for (let i = 0; i < dimension; i++) signs[i] = draw() & 1 ? 1 : -1;
  const permutation = Uint32Array.from({ length: dimension }, (_, i) => i);
  for (let i = dimension - 1; i > 0; i--) {
    // With 32-bit words and at most 16,000 positions, the modulo bias is below 4 in a million
    const j = draw() % (i + 1);
    [permutation[i], permutation[j]] = [permutation[j]!, permutation[i]!];
  }
  return { signs, permutation };
}

/** An endless stream of little-endian 32-bit words, in blocks of 255 × 32 bytes, the maximum of one expansion. */
function wordStream(expand: ExpandKey, key: Uint8Array, round: number): () => number {
  let block = 0;
  let words = new Uint32Array(0);
  let next = 0;
  return () => {
    if (next === words.length) {
      const bytes = expand(key, `memrelay-vector-map-v1/${round}/${block++}`, 8_160);
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      words = new Uint32Array(bytes.length / 4);
      for (let i = 0; i < words.length; i++) words[i] = view.getUint32(i * 4, true);
      next = 0;
    }
    return words[next++]!;
  };
}

/** In-place orthonormal Walsh-Hadamard transform of `length` (a power of two) values from `start`. */
function hadamard(values: Float32Array, start: number, length: number): void {
  for (let half = 1; half < length; half *= 2)
    for (let i = start; i < start + length; i += half * 2)
      for (let j = i; j < i + half; j++) {
        const a = values[j]!;
        const b = values[j + half]!;
        values[j] = a + b;
        values[j + half] = a - b;
      }
  const scale = 1 / Math.sqrt(length);
  for (let i = start; i < start + length; i++) values[i]! *= scale;
}
