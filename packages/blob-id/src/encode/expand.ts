import type { Kernel } from '../kernel/kernel.ts';
import { stripLanes } from '../kernel/transform-code.ts';
import type { BlobPlan, Pass } from './blob-plan.ts';
import { encodeStrip, type StripCode } from './strip-code.ts';

/** The code in both directions, and the addresses of its memory. */
export interface Codes {
  /** Extends a row of the source matrix to all columns */
  rowCode: StripCode;
  /** Extends a column of the source matrix to all rows */
  columnCode: StripCode;
  strip: number;
  tables: number;
}

/** Rows of the source matrix, each with space for all n columns. Contains the bytes of one pass of each symbol. */
export interface Rows {
  at: number;
  /** Bytes from one row to the next */
  stride: number;
}

/** Number of symbols of a chunk that fit next to each other into a strip. */
export const symbolsPerStrip = (elements: number): number => Math.floor(stripLanes / elements);

/** Computes the additional columns of all rows with content. */
export function expandRows(kernel: Kernel, codes: Codes, plan: BlobPlan, pass: Pass, rows: Rows): void {
  const { rowCode, strip, tables } = codes;
  const parityAt = rows.at + rowCode.originals * pass.bytes;
  for (const { offset, elements } of pass.chunks) {
    const { pack, unpack } = kernel.movesOf(elements);
    const together = symbolsPerStrip(elements);
    for (let row = 0; row < plan.usedRows; row += together) {
      const count = Math.min(together, plan.usedRows - row);
      const first = row * rows.stride + offset;
      pack(strip, rows.at + first, pass.bytes, rows.stride, plan.usedColumns, count, elements);
      const parity = encodeStrip(kernel, rowCode, strip, plan.usedColumns, tables);
      unpack(parity, parityAt + first, pass.bytes, rows.stride, rowCode.parity, count, elements);
    }
  }
}

/** Memory for complete columns, one after another: n symbols each, `stride` bytes apart. */
export interface Columns {
  at: number;
  stride: number;
}

/**
 * Writes `count` complete columns from `first` on. Does not write rows of zeros, which must already be zero there.
 */
export function expandColumns(
  kernel: Kernel,
  codes: Codes,
  plan: BlobPlan,
  pass: Pass,
  rows: Rows,
  { first, count }: { first: number; count: number },
  out: Columns,
): void {
  const { columnCode, strip, tables } = codes;
  const columnBytes = plan.matrix.nShards * out.stride;
  const { originals, parity } = columnCode;
  for (const { offset, elements } of pass.chunks) {
    const { pack, unpack } = kernel.movesOf(elements);
    const together = symbolsPerStrip(elements);
    for (let done = 0; done < count; done += together) {
      const symbols = Math.min(together, count - done);
      const from = rows.at + (first + done) * pass.bytes + offset;
      const to = out.at + done * columnBytes + offset;
      pack(strip, from, rows.stride, pass.bytes, plan.usedRows, symbols, elements);
      unpack(strip, to, out.stride, columnBytes, plan.usedRows, symbols, elements);
      const parityAt = encodeStrip(kernel, columnCode, strip, plan.usedRows, tables);
      unpack(parityAt, to + originals * out.stride, out.stride, columnBytes, parity, symbols, elements);
    }
  }
}
