import { assembleModule } from '@memrelay/wasm/module';
import { countDifferences, innerProducts } from './vector-code.ts';

/** Compares one vector with many. Lengths in bytes are multiples of 16, padded with zeros. */
export interface VectorKernel {
  /** For each of `count` codes of `codeBytes` bytes, at most 256, in how many bits it differs from `wanted`. Valid until the next call. */
  differences(codes: Uint8Array, codeBytes: number, count: number, wanted: Uint8Array): Uint16Array;
  /**
   * The inner products of `to` with vectors of 16-bit floats of `rowBytes` bytes: `rows` in the order of the result. `to` has
   * as many 32-bit floats.
   */
  products(rows: readonly Uint8Array[], rowBytes: number, to: Float32Array): Float64Array;
}

type Compare = (rows: number, other: number, out: number, count: number, bytes: number) => void;

/** Maximum number of vectors that are compared in one call */
const atOnce = 256;
/** What `innerProducts` leaves to do */
const scale = 2 ** 112;
const pageBytes = 65_536;

let kernel: VectorKernel | undefined;

/** One for the whole process: what it works on is copied into its memory, so that the vectors themselves can be collected. */
export function vectorKernel(): VectorKernel {
  kernel ??= createKernel();
  return kernel;
}

function createKernel(): VectorKernel {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const module = new WebAssembly.Module(assembleModule([countDifferences, innerProducts]));
  const exports = new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as {
    countDifferences: Compare;
    innerProducts: Compare;
  };

  /** Addresses of the result, the single vector and the others. */
  function layout(otherBytes: number, rowBytes: number): { out: number; other: number; rows: number } {
    const [out, other] = [0, atOnce * 16];
    const rows = other + otherBytes;
    const missing = rows + atOnce * rowBytes - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / pageBytes));
    return { out, other, rows };
  }

  return {
    differences(codes, codeBytes, count, wanted) {
      const { out, other, rows } = layout(codeBytes, codeBytes);
      const bytes = new Uint8Array(memory.buffer);
      bytes.set(wanted, other);
      bytes.set(codes.subarray(0, count * codeBytes), rows);
      exports.countDifferences(rows, other, out, count, codeBytes);
      return new Uint16Array(memory.buffer, out, count);
    },
    products(each, rowBytes, to) {
      const { out, other, rows } = layout(rowBytes * 2, rowBytes);
      const bytes = new Uint8Array(memory.buffer);
      const factor = new Float32Array(memory.buffer, other, rowBytes / 2);
      for (let i = 0; i < factor.length; i++) factor[i] = (to[i] ?? 0) * scale;
      const sums = new Float32Array(memory.buffer, out, atOnce * 4);
      const results = new Float64Array(each.length);
      for (let first = 0; first < each.length; first += atOnce) {
        const some = each.slice(first, first + atOnce);
        for (const [i, row] of some.entries()) bytes.set(row, rows + i * rowBytes);
        exports.innerProducts(rows, other, out, some.length, rowBytes);
        for (let i = 0; i < some.length; i++)
          results[first + i] = sums[i * 4]! + sums[i * 4 + 1]! + sums[i * 4 + 2]! + sums[i * 4 + 3]!;
      }
      return results;
    },
  };
}
