/** The value of a slot that is not to be chosen */
export const hidden = 0xffff;

/** The slots with the smallest values, at most `count`, in no order. Values above `highest` are not chosen. */
export function smallest(values: Uint16Array, count: number, highest: number): number[] {
  const having = new Uint32Array(highest + 1);
  for (const value of values) if (value <= highest) having[value]! += 1;
  let limit = 0;
  let before = 0;
  while (limit < highest && before + having[limit]! < count) before += having[limit++]!;
  let ties = count - before;
  const found: number[] = [];
  for (let slot = 0; slot < values.length; slot++) {
    const value = values[slot]!;
    if (value < limit || (value === limit && ties-- > 0)) found.push(slot);
  }
  return found;
}
