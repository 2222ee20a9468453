import { type SourceMatrix, symbolBytesFor } from '../source/matrix.ts';
import type { Range } from './ranges.ts';

/**
 * How one blob is encoded. Every byte of a symbol is coded only together with the same bytes of other symbols, so
 * large symbols are processed in passes over a few of their bytes, and memory does not grow with their size.
 */
export interface BlobPlan {
  matrix: SourceMatrix;
  size: number;
  symbolBytes: number;
  /** Rows of the source matrix, from the first, that have content; at least one */
  usedRows: number;
  /** Columns of the source matrix, from the first, that have content */
  usedColumns: number;
  /** Rows of nothing but zeros, which are all the same */
  zeroRows: Range;
  zeroColumns: Range;
  passes: Pass[];
}

export interface Pass {
  /** The bytes of each symbol that this pass works on */
  offset: number;
  bytes: number;
  chunks: Chunk[];
  last: boolean;
}

/** Bytes that the code works on together: reed-solomon-simd's chunks of 64 bytes, the last of which may be shorter. */
export interface Chunk {
  /** Within the pass */
  offset: number;
  /** Elements in it; it has twice as many bytes */
  elements: number;
}

const chunkBytes = 64;
/** Memory for the rows of the source matrix, extended by the code, during a pass. */
const rowsBudgetBytes = 88 * 2 ** 20;
/** Whole blocks of the hash and whole chunks. */
const passUnitBytes = 128;

/** Throws `RangeError` when the blob is too large for the shards. */
export function planBlob(matrix: SourceMatrix, size: number, budgetBytes = rowsBudgetBytes): BlobPlan {
  const symbolBytes = symbolBytesFor(matrix, size);
  const { rows, columns, nShards } = matrix;
  const usedRows = Math.max(1, Math.ceil(size / (columns * symbolBytes)));
  const usedColumns = usedRows > 1 ? columns : Math.max(1, Math.ceil(size / symbolBytes));
  const fitting = Math.floor(budgetBytes / (rows * nShards) / passUnitBytes) * passUnitBytes;
  const passBytes = Math.max(passUnitBytes, fitting);
  const passes = Array.from({ length: Math.ceil(symbolBytes / passBytes) }, (_, i) => {
    const offset = i * passBytes;
    const bytes = Math.min(passBytes, symbolBytes - offset);
    return { offset, bytes, chunks: chunksOf(bytes), last: offset + bytes === symbolBytes };
  });
  return {
    matrix,
    size,
    symbolBytes,
    usedRows,
    usedColumns,
    zeroRows: { start: usedRows, end: rows },
    zeroColumns: { start: usedColumns, end: columns },
    passes,
  };
}

/** One pass over all bytes of a symbol, for a single row or column. */
export function wholePass(symbolBytes: number): Pass {
  return { offset: 0, bytes: symbolBytes, chunks: chunksOf(symbolBytes), last: true };
}

function chunksOf(bytes: number): Chunk[] {
  return Array.from({ length: Math.ceil(bytes / chunkBytes) }, (_, i) => {
    const offset = i * chunkBytes;
    return { offset, elements: Math.min(chunkBytes, bytes - offset) / 2 };
  });
}
