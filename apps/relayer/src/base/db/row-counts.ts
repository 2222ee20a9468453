const counts = [1, 2, 4, 8, 16, 32];

/** The most rows of a statement that stays prepared. */
export const maxPreparedRows = counts.at(-1)!;

/**
 * How many rows a prepared statement for this number of rows has. The rest are filled up with rows of NULL, so that a few
 * statements are enough for all numbers. Undefined if there are too many rows.
 */
export function preparedRows(rows: number): number | undefined {
  return counts.find((count) => count >= rows);
}
