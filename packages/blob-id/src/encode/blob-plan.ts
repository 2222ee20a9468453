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
  /** Number of rows of the source matrix with content, counted from the first; at least one */
  usedRows: number;
  /** Number of columns of the source matrix with content, counted from the first */
  usedColumns: number;
  /** Rows that contain only zeros and are therefore equal */
  zeroRows: Range;
  zeroColumns: Range;
  passes: Pass[];
}

export interface Pass {
  /** First byte of each symbol in this pass */
  offset: number;
  bytes: number;
  chunks: Chunk[];
  last: boolean;
}

/** Bytes that the code works on together: reed-solomon-simd's chunks of 64 bytes, the last of which may be shorter. */
export interface Chunk {
  /** Offset in the pass, in bytes */
  offset: number;
  /** Number of elements, of two bytes each */
  elements: number;
}

const chunkBytes = 64;
/** Memory budget in bytes for the extended rows of the source matrix in a pass. */
const rowsBudgetBytes = 88 * 2 ** 20;
/** Unit of the length of a pass in bytes: a whole number of hash blocks and chunks. */
const passUnitBytes = 128;

/** Plans the encoding of a blob. Throws `RangeError` if the blob is too large for the shards. */
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
