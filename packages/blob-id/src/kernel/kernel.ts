import { assembleModule } from '@memrelay/wasm/module';
import { copyPieces, packFunctions, unitFor, unpackFunctions } from './copy-code.ts';
import { absorb, gatherDigests, hashPairs } from './hash-code.ts';
import { addStrip, evaluate, interpolate, stripLanes } from './transform-code.ts';

/** Parameters are addresses, strides and counts. Each function is documented at its code. */
type Call = (...parameters: number[]) => void;

interface Calls {
  hashPairs: Call;
  absorb: Call;
  gatherDigests: Call;
  evaluate: Call;
  interpolate: Call;
  addStrip: Call;
  copyPieces: Call;
}

type MoveSymbols = (
  strip: number,
  matrix: number,
  positionStride: number,
  symbolStride: number,
  positions: number,
  symbols: number,
  h: number,
) => void;

/** Functions that move symbols of one length between matrix and strip. */
export interface SymbolMoves {
  /** From the matrix into a strip */
  pack: MoveSymbols;
  /** From a strip into the matrix */
  unpack: MoveSymbols;
}

/** The WebAssembly functions and the memory they work on. */
export interface Kernel extends Calls {
  /** For symbols of `h` elements, 1 to 32 */
  movesOf(h: number): SymbolMoves;
  /** All of the memory. Must be read again after `reserve`. */
  bytes(): Uint8Array<ArrayBuffer>;
  /** Makes the memory at least this large, in bytes. Throws `RangeError` if that is not available. */
  reserve(bytes: number): void;
}

const pageBytes = 65_536;
const maxPages = 65_536;

let compiled: WebAssembly.Module | undefined;

/** The code is assembled and compiled once for all kernels of a thread, which takes a few milliseconds. */
export function createKernel(): Kernel {
  compiled ??= new WebAssembly.Module(
    assembleModule([
      ...[hashPairs, absorb, gatherDigests, evaluate, interpolate, addStrip, copyPieces],
      ...packFunctions,
      ...unpackFunctions,
    ]),
  );
  const memory = new WebAssembly.Memory({ initial: 1, maximum: maxPages });
  const { exports } = new WebAssembly.Instance(compiled, { env: { memory } });
  const sized = exports as Record<string, MoveSymbols>;
  const moves = Array.from({ length: stripLanes }, (_, i) => {
    const unit = unitFor(i + 1);
    return { pack: sized[`pack${unit}`]!, unpack: sized[`unpack${unit}`]! };
  });
  let bytes = new Uint8Array(memory.buffer);
  return {
    ...(exports as unknown as Calls),
    movesOf: (h) => moves[h - 1]!,
    bytes: () => bytes,
    reserve(wanted) {
      const missing = Math.ceil(wanted / pageBytes) - bytes.byteLength / pageBytes;
      if (missing <= 0) return;
      memory.grow(missing);
      bytes = new Uint8Array(memory.buffer);
    },
  };
}
