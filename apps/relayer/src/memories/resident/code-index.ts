import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ResidentCodes } from '../rows/resident-rows.ts';
import { type CodeTable, createCodeTable } from './code-table.ts';

/** A piece of a memory: its row of `memory_vector`. */
export interface Piece {
  memoryId: string;
  chunkNo: number;
}

/**
 * The sign bits of the vectors of a large namespace. Comparing all of them takes a table most of the time of a search; the
 * rest stays in the tables, so that a vector takes 220 bytes here instead of several thousand.
 */
export interface CodeIndex {
  readonly kind: 'codes';
  /** Estimated bytes */
  readonly bytes: number;
  has(id: string): boolean;
  /** The visible pieces whose sign bits differ least from those of `to`, at most `rows`, in no order */
  shortlist(to: Float32Array, rows: number, includePending: boolean): Promise<Piece[]>;
  /** Adds a memory or replaces what was known of it. */
  put(memory: ResidentCodes): void;
  remove(id: string): void;
}

/** `smallint ‖ bit_send`: u16 chunk number, u32 number of bits, then the bits */
const chunkBytes = 2;
const countBytes = 4;
/** A memory in the map, and its pieces */
const bytesPerMemory = 240;
/** What uses a slot: nothing, a pending memory, or a stored one */
const visibility = { none: 0, pending: 1, done: 2 } as const;

export function createCodeIndex(): CodeIndex {
  const slotsOf = new Map<string, readonly number[]>();
  const pieces: Piece[] = [];
  let table: CodeTable | undefined;

  function remove(id: string): void {
    for (const slot of slotsOf.get(id) ?? []) table!.remove(slot);
    slotsOf.delete(id);
  }

  return {
    kind: 'codes',
    get bytes() {
      return slotsOf.size * bytesPerMemory + (table?.bytes ?? 0);
    },
    has: (id) => slotsOf.has(id),
    async shortlist(to, rows, includePending) {
      if (!table) return [];
      const least = includePending ? visibility.pending : visibility.done;
      // Other requests first: comparing a hundred thousand takes some milliseconds
      await nextTurn();
      return table.nearest(to, rows, least).map((slot) => pieces[slot]!);
    },
    put({ id, state, codes }) {
      remove(id);
      if (!codes || (state !== 'done' && state !== 'pending')) return;
      const slots: number[] = [];
      for (let at = 0; at < codes.length; ) {
        const dimension = codes.readUInt32BE(at + chunkBytes);
        const start = at + chunkBytes + countBytes;
        const end = start + Math.ceil(dimension / 8);
        table ??= createCodeTable(dimension);
        const slot = table.add(codes.subarray(start, end), visibility[state]);
        pieces[slot] = { memoryId: id, chunkNo: codes.readUInt16BE(at) };
        slots.push(slot);
        at = end;
      }
      slotsOf.set(id, slots);
    },
    remove,
  };
}
