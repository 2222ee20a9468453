import { assembleModule } from '@memrelay/wasm/module';
import { hidden, smallest } from './smallest.ts';
import { countDifferences } from './vector-code.ts';

/** Sign bits of many vectors, in memory of WebAssembly, where they are compared without being copied. */
export interface CodeTable {
  /** Bytes that they take */
  readonly bytes: number;
  /** Adds the bits of `bit_send`, and who may see them, from 1; returns their slot. */
  add(code: Uint8Array, visibility: number): number;
  remove(slot: number): void;
  /** The slots with at least this visibility whose bits differ least from the signs of `to`, at most `rows`, in no order */
  nearest(to: Float32Array, rows: number, visibility: number): number[];
}

const pageBytes = 65_536;
const padded = (bytes: number): number => Math.ceil(bytes / 16) * 16;
/** Codes that are compared in one call, and the bytes of their results */
const atOnce = 4_096;
const outBytes = atOnce * 2;
const fewestSlots = 1_024;

let module: WebAssembly.Module | undefined;

export function createCodeTable(dimension: number): CodeTable {
  const codeBytes = padded(dimension / 8);
  const [wantedAt, firstAt] = [outBytes, outBytes + codeBytes];
  const memory = new WebAssembly.Memory({ initial: 1 });
  module ??= new WebAssembly.Module(assembleModule([countDifferences]));
  const { countDifferences: compare } = new WebAssembly.Instance(module, { env: { memory } })
    .exports as unknown as { countDifferences(...parameters: number[]): void };
  let seenBy = new Uint8Array(fewestSlots);
  let differences = new Uint16Array(fewestSlots);
  const free: number[] = [];
  let slots = 0;

  const addressOf = (slot: number): number => firstAt + slot * codeBytes;

  function nextSlot(): number {
    const slot = free.pop() ?? slots++;
    const missing = addressOf(slot + 1) - memory.buffer.byteLength;
    // By a quarter at a time
    if (missing > 0) memory.grow(Math.ceil(Math.max(missing, memory.buffer.byteLength / 4) / pageBytes));
    if (slot >= seenBy.length) {
      const more = new Uint8Array(seenBy.length * 2);
      more.set(seenBy);
      seenBy = more;
      differences = new Uint16Array(more.length);
    }
    return slot;
  }

  return {
    get bytes() {
      return memory.buffer.byteLength + seenBy.length * 3;
    },
    add(code, visibility) {
      const slot = nextSlot();
      const place = new Uint8Array(memory.buffer, addressOf(slot), codeBytes).fill(0);
      place.set(code);
      seenBy[slot] = visibility;
      return slot;
    },
    remove(slot) {
      seenBy[slot] = 0;
      free.push(slot);
    },
    nearest(to, rows, visibility) {
      const wanted = new Uint8Array(memory.buffer, wantedAt, codeBytes).fill(0);
      for (let i = 0; i < dimension; i++) if (to[i]! > 0) wanted[i >> 3]! |= 0x80 >> (i & 7);
      for (let first = 0; first < slots; first += atOnce) {
        const count = Math.min(atOnce, slots - first);
        compare(addressOf(first), wantedAt, 0, count, codeBytes);
        differences.set(new Uint16Array(memory.buffer, 0, count), first);
      }
      for (let slot = 0; slot < slots; slot++) if (seenBy[slot]! < visibility) differences[slot] = hidden;
      return smallest(differences.subarray(0, slots), rows, dimension);
    },
  };
}
