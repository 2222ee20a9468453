import { hidden, smallest } from './smallest.ts';
import { vectorKernel } from './vector-kernel.ts';

/**
 * Vectors in memory, as the table `memory_vector` has them: 16-bit floats for exact distances, and sign bits to choose
 * which ones to compare. Blocks of a fixed size, so that growing copies nothing.
 */
export interface VectorTable {
  /** Number of vectors */
  readonly size: number;
  /** Bytes that the blocks take */
  readonly bytes: number;
  /** Adds the vectors of `halfvec_send`, one after the other; returns their slots. */
  add(sent: Buffer): number[];
  remove(slot: number): void;
  /** Distances of the vectors in these slots to a unit vector (`asStored`): 1 − inner product */
  distances(slots: readonly number[], to: Float32Array): Float64Array;
  /** The vectors whose sign bits differ least, at most `rows` of those that `allowed` lets through, in no order. */
  shortlist(to: Float32Array, rows: number, allowed: (slot: number) => boolean): number[];
}

/** Small, because most namespaces are */
const blockVectors = 32;
/** `halfvec_send`: u16 dimension, u16 unused, then each value as a big-endian 16-bit float */
const headerBytes = 4;
const padded = (bytes: number): number => Math.ceil(bytes / 16) * 16;

interface Block {
  codes: Uint8Array;
  halves: Uint8Array;
}

export function createVectorTable(dimension: number): VectorTable {
  const codeBytes = padded(dimension / 8);
  const rowBytes = padded(dimension * 2);
  const blocks: Block[] = [];
  const used: boolean[] = [];
  const free: number[] = [];
  let size = 0;
  let differences = new Uint16Array(0);

  function nextSlot(): number {
    const slot = free.pop() ?? used.length;
    if (slot >= blocks.length * blockVectors)
      blocks.push({
        codes: new Uint8Array(blockVectors * codeBytes),
        halves: new Uint8Array(blockVectors * rowBytes),
      });
    used[slot] = true;
    size += 1;
    return slot;
  }

  const codeOf = (slot: number): Uint8Array => {
    const start = (slot % blockVectors) * codeBytes;
    return blocks[Math.floor(slot / blockVectors)]!.codes.subarray(start, start + codeBytes);
  };
  const rowOf = (slot: number): Uint8Array => {
    const start = (slot % blockVectors) * rowBytes;
    return blocks[Math.floor(slot / blockVectors)]!.halves.subarray(start, start + rowBytes);
  };

  return {
    get size() {
      return size;
    },
    get bytes() {
      return blocks.length * blockVectors * (codeBytes + rowBytes);
    },
    add(sent) {
      const slots: number[] = [];
      const stride = headerBytes + dimension * 2;
      for (let at = 0; at + stride <= sent.length; at += stride) {
        const slot = nextSlot();
        const [code, row] = [codeOf(slot).fill(0), rowOf(slot)];
        for (let i = 0; i < dimension; i++) {
          const half = sent.readUInt16BE(at + headerBytes + i * 2);
          row[i * 2] = half & 0xff;
          row[i * 2 + 1] = half >> 8;
          if (isPositive(half)) setBit(code, i);
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
    distances: (slots, to) =>
      vectorKernel()
        .products(slots.map(rowOf), rowBytes, to)
        .map((product) => 1 - product),
    shortlist(to, rows, allowed) {
      const wanted = new Uint8Array(codeBytes);
      for (let i = 0; i < dimension; i++) if (to[i]! > 0) setBit(wanted, i);
      if (differences.length < used.length) differences = new Uint16Array(blocks.length * blockVectors);
      for (const [i, { codes }] of blocks.entries())
        differences.set(vectorKernel().differences(codes, codeBytes, blockVectors, wanted), i * blockVectors);
      for (const [slot, isUsed] of used.entries()) if (!isUsed || !allowed(slot)) differences[slot] = hidden;
      return smallest(differences.subarray(0, used.length), rows, dimension);
    },
  };
}

/** As pgvector's `binary_quantize`: above 0. */
const isPositive = (half: number): boolean => half > 0 && half < 0x8000;

function setBit(code: Uint8Array, index: number): void {
  code[index >> 3]! |= 1 << (index & 7);
}
