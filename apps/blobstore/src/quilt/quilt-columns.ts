import { type QuiltLayout, quiltBytes, rowBytes } from './quilt-layout.ts';
import { rowsToColumn } from './symbol-copy.ts';

/** A quilt to read from, column by column. */
export interface QuiltColumns {
  layout: QuiltLayout;
  /** The bytes of the columns from `start` to before `end`, one column after the other. */
  read(start: number, end: number): Promise<Buffer>;
}

/**
 * Collects columns from rows that are `stride` bytes apart. The first column begins at byte `offset` of each row.
 */
export function gatherColumns(
  rows: Buffer,
  stride: number,
  offset: number,
  count: number,
  layout: Pick<QuiltLayout, 'rows' | 'symbolBytes'>,
): Buffer {
  const height = layout.rows * layout.symbolBytes;
  const columns = Buffer.allocUnsafe(count * height);
  for (let column = 0; column < count; column += 1) {
    const segment = columns.subarray(column * height, (column + 1) * height);
    rowsToColumn(rows, offset + column * layout.symbolBytes, stride, layout.symbolBytes, segment);
  }
  return columns;
}

/** The columns of a whole quilt in memory. */
export function columnsInMemory(quilt: Buffer, layout: QuiltLayout): QuiltColumns {
  if (quilt.length !== quiltBytes(layout)) throw new Error('the quilt has another length than its layout');
  return {
    layout,
    read: async (start, end) =>
      gatherColumns(quilt, rowBytes(layout), start * layout.symbolBytes, end - start, layout),
  };
}
