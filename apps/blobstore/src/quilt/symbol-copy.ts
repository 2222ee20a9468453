import { type QuiltLayout, rowBytes } from './quilt-layout.ts';

/** For symbols smaller than this, copying bytes in a loop is faster than one `copy` call per symbol. */
const smallSymbolBytes = 64;

/** Writes consecutive bytes of one column into a band of whole rows. A last symbol may be cut off. */
export function columnToRows(segment: Buffer, rows: Buffer, column: number, layout: QuiltLayout): void {
  const { symbolBytes } = layout;
  const stride = rowBytes(layout);
  let to = column * symbolBytes;
  for (let from = 0; from < segment.length; from += symbolBytes, to += stride) {
    const end = Math.min(from + symbolBytes, segment.length);
    if (symbolBytes > smallSymbolBytes) segment.copy(rows, to, from, end);
    else for (let i = from; i < end; i += 1) rows[to + i - from] = segment[i] as number;
  }
}

/**
 * Reads whole symbols of one column from rows that are `stride` bytes apart, the first of them `offset` bytes into
 * `rows`, until `segment` is full.
 */
export function rowsToColumn(
  rows: Buffer,
  offset: number,
  stride: number,
  symbolBytes: number,
  segment: Buffer,
): void {
  let from = offset;
  for (let to = 0; to < segment.length; to += symbolBytes, from += stride) {
    if (symbolBytes > smallSymbolBytes) rows.copy(segment, to, from, from + symbolBytes);
    else for (let i = 0; i < symbolBytes; i += 1) segment[to + i] = rows[from + i] as number;
  }
}
