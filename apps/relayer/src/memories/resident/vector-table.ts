/**
 * Vectors in memory, as the table `memory_vector` has them: 16-bit floats for exact distances, and sign bits to choose
 * which ones to compare. Blocks of a fixed size, so that growing copies nothing.
 */

/** A slot and its distance, 1 − inner product. */
export interface NearVector {
  slot: number;
  distance: number;
}

export interface VectorTable {
  /** Number of vectors */
  readonly size: number;
  /** Bytes that the blocks take */
  readonly bytes: number;
  /** Adds the vectors of `halfvec_send`, one after the other; returns their slots. */
  add(sent: Buffer): number[];
  remove(slot: number): void;
  /** Distance of the vector in a slot to a unit vector */
  distance(slot: number, to: Float32Array): number;
  /** The vectors whose sign bits differ least, at most `rows` of those that `allowed` lets through, in no order. */
  shortlist(to: Float32Array, rows: number, allowed: (slot: number) => boolean): number[];
}

const blockVectors = 256;
/** `halfvec_send`: u16 dimension, u16 unused, then each value as a big-endian 16-bit float */
const headerBytes = 4;

interface Block {
  /** Sign bits, `words` per vector */
  codes: Int32Array;
  /** Bits of 16-bit floats, `dimension` per vector */
  halves: Uint16Array;
}

export function createVectorTable(dimension: number): VectorTable {
  const words = Math.ceil(dimension / 32);
  const blocks: Block[] = [];
  const used: boolean[] = [];
  const free: number[] = [];
  let size = 0;
  let distances = new Uint16Array(0);

  function nextSlot(): number {
    const slot = free.pop() ?? used.length;
    if (slot >= blocks.length * blockVectors)
      blocks.push({
        codes: new Int32Array(blockVectors * words),
        halves: new Uint16Array(blockVectors * dimension),
      });
    used[slot] = true;
    size += 1;
    return slot;
  }

  return {
    get size() {
      return size;
    },
    get bytes() {
      return blocks.length * blockVectors * (words * 4 + dimension * 2);
    },
    add(sent) {
      const slots: number[] = [];
      const stride = headerBytes + dimension * 2;
      for (let at = 0; at + stride <= sent.length; at += stride) {
        const slot = nextSlot();
        const { codes, halves } = blocks[Math.floor(slot / blockVectors)]!;
        const place = slot % blockVectors;
        codes.fill(0, place * words, (place + 1) * words);
        for (let i = 0; i < dimension; i++) {
          const half = sent.readUInt16BE(at + headerBytes + i * 2);
          halves[place * dimension + i] = half;
          if (isPositive(half)) codes[place * words + (i >> 5)]! |= 1 << (i & 31);
        }
        slots.push(slot);
      }
      return slots;
    },
    remove(slot) {
      used[slot] = false;
      free.push(slot);
      size -= 1;
    },
    distance(slot, to) {
      const { halves } = blocks[Math.floor(slot / blockVectors)]!;
      const start = (slot % blockVectors) * dimension;
      const values = floatOfHalf();
      let product = 0;
      for (let i = 0; i < dimension; i++) product += to[i]! * values[halves[start + i]!]!;
      return 1 - product;
    },
    shortlist(to, rows, allowed) {
      const wanted = signsOf(to, words);
      if (distances.length < used.length) distances = new Uint16Array(blocks.length * blockVectors);
      const counts = new Uint32Array(dimension + 1);
      const slots: number[] = [];
      for (let slot = 0; slot < used.length; slot++) {
        if (!used[slot] || !allowed(slot)) continue;
        const { codes } = blocks[Math.floor(slot / blockVectors)]!;
        const apart = differingBits(codes, (slot % blockVectors) * words, wanted);
        distances[slot] = apart;
        counts[apart]! += 1;
        slots.push(slot);
      }
      if (slots.length <= rows) return slots;
      let farthest = 0;
      let before = 0;
      while (before + counts[farthest]! < rows) before += counts[farthest++]!;
      let ties = rows - before;
      return slots.filter((slot) => {
        const apart = distances[slot]!;
        return apart < farthest || (apart === farthest && ties-- > 0);
      });
    },
  };
}

/** The values of a vector rounded to 16-bit floats, as Postgres rounds those of a question; ties go to even. */
export function asStored(vector: Float32Array): Float32Array {
  return vector.map((value) => {
    const size = Math.abs(value);
    if (size === 0) return 0;
    const step = 2 ** (Math.max(-14, Math.floor(Math.log2(size))) - 10);
    const steps = size / step;
    const below = Math.floor(steps);
    const rest = steps - below;
    const rounded = rest > 0.5 || (rest === 0.5 && below % 2 === 1) ? below + 1 : below;
    return Math.sign(value) * rounded * step;
  });
}

/** As pgvector's `binary_quantize`: above 0. */
const isPositive = (half: number): boolean => half > 0 && half < 0x8000;

function signsOf(values: Float32Array, words: number): Int32Array {
  const signs = new Int32Array(words);
  for (let i = 0; i < values.length; i++) if (values[i]! > 0) signs[i >> 5]! |= 1 << (i & 31);
  return signs;
}

function differingBits(codes: Int32Array, start: number, wanted: Int32Array): number {
  let bits = 0;
  for (let i = 0; i < wanted.length; i++) {
    let word = codes[start + i]! ^ wanted[i]!;
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    bits += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return bits;
}

let halfValues: Float32Array | undefined;

/** The value of each 16-bit float (IEEE 754 binary16), by its bits. */
function floatOfHalf(): Float32Array {
  if (halfValues) return halfValues;
  const values = new Float32Array(1 << 16);
  for (let bits = 0; bits < values.length; bits++) {
    const sign = bits & 0x8000 ? -1 : 1;
    const exponent = (bits >> 10) & 0x1f;
    const fraction = bits & 0x3ff;
    values[bits] =
      exponent === 0
        ? sign * fraction * 2 ** -24
        : exponent === 0x1f
          ? Number.NaN
          : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  }
  halfValues = values;
  return values;
}
