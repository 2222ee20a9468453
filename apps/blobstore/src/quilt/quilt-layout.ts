import { maxSymbolBytes, sourceMatrix, symbolAlignment } from '@memrelay/blob-id/source/matrix';
import { QuiltInputError } from './quilt-errors.ts';

/**
 * A quilt is the source matrix of its blob: row by row in the file, with each patch in separate columns, so that a
 * storage node's secondary sliver is a column.
 */
export interface QuiltLayout {
  rows: number;
  columns: number;
  symbolBytes: number;
}

/** Maximum number of columns of the index. */
export const maxIndexColumns = 10;

export function rowBytes({ columns, symbolBytes }: QuiltLayout): number {
  return columns * symbolBytes;
}

/** Number of bytes in a column. */
export function columnBytes({ rows, symbolBytes }: QuiltLayout): number {
  return rows * symbolBytes;
}

export function quiltBytes(layout: QuiltLayout): number {
  return layout.rows * rowBytes(layout);
}

/** Maximum number of patches in a quilt. One column is needed for the index. */
export function maxPatches(nShards: number): number {
  return sourceMatrix(nShards).columns - 1;
}

/** The layout of a quilt of `size` bytes; undefined if no quilt has that size. */
export function layoutOfSize(size: number, nShards: number): QuiltLayout | undefined {
  const { rows, columns } = sourceMatrix(nShards);
  const symbolBytes = size / (rows * columns);
  const possible = symbolBytes > 0 && symbolBytes % symbolAlignment === 0 && symbolBytes <= maxSymbolBytes;
  return possible ? { rows, columns, symbolBytes } : undefined;
}

/**
 * The layout with the smallest symbols that gives the index and each patch separate columns. Sizes are in bytes.
 * Throws `QuiltInputError` if there are too many patches or no symbol size is large enough.
 */
export function fitLayout(indexSize: number, patchSizes: readonly number[], nShards: number): QuiltLayout {
  const { rows, columns } = sourceMatrix(nShards);
  const sizes = [indexSize, ...patchSizes];
  if (sizes.length > columns) {
    throw new QuiltInputError(
      `${patchSizes.length} files are too many for a quilt, which holds at most ${columns - 1}`,
    );
  }
  function fits(symbolBytes: number): boolean {
    const needed = sizes.reduce((sum, size) => sum + Math.ceil(size / (symbolBytes * rows)), 0);
    return needed <= columns;
  }
  const total = sizes.reduce((sum, size) => sum + size, 0);
  let low = Math.max(Math.ceil(total / (rows * columns)), Math.ceil(indexSize / (rows * maxIndexColumns)));
  // Upper bound: with this symbol size everything fits if the columns are divided equally.
  let high = Math.ceil(Math.max(...sizes) / (Math.floor(columns / sizes.length) * rows));
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) high = middle;
    else low = middle + 1;
  }
  const symbolBytes = Math.ceil(low / symbolAlignment) * symbolAlignment;
  if (symbolBytes > maxSymbolBytes) {
    throw new QuiltInputError('the files are too large, or too unequal in size, for one quilt');
  }
  return { rows, columns, symbolBytes };
}
