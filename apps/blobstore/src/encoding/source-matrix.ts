/** The matrix that RS2 lays a blob out in, row by row, before it adds redundancy. In symbols. */
export interface SourceMatrix {
  /** Source symbols of the primary encoding: n − 2f, with f the faults that n shards tolerate */
  rows: number;
  /** Source symbols of the secondary encoding: n − f */
  columns: number;
}

/** A symbol has an even number of bytes below 2^16. */
export const symbolAlignment = 2;
export const maxSymbolBytes = 65_534;

export function sourceMatrix(nShards: number): SourceMatrix {
  const faults = Math.floor((nShards - 1) / 3);
  return { rows: nShards - 2 * faults, columns: nShards - faults };
}
