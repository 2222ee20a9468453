/** A half-open range: includes `start`, excludes `end`. */
export interface Range {
  start: number;
  end: number;
}

/**
 * The items to process if the items of `equal`, within `all`, are the same: all items, but only the first of
 * `equal`. A number means all items from 0.
 */
export function withoutRepeats(all: number | Range, equal: Range): Range[] {
  const { start, end } = typeof all === 'number' ? { start: 0, end: all } : all;
  if (equal.end - equal.start < 2) return [{ start, end }];
  return [
    { start, end: equal.start + 1 },
    { start: equal.end, end },
  ].filter(({ start, end }) => start < end);
}

/** Copies the first item of `equal` over the others. */
export function repeatFirst(bytes: Uint8Array, address: number, itemBytes: number, equal: Range): void {
  let filled = 1;
  const wanted = equal.end - equal.start;
  const from = address + equal.start * itemBytes;
  while (filled < wanted) {
    const more = Math.min(filled, wanted - filled);
    bytes.copyWithin(from + filled * itemBytes, from, from + more * itemBytes);
    filled += more;
  }
}
