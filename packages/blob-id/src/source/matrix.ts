/** The matrix of symbols into which RS2 arranges a blob, row by row, before the code adds redundancy. */
export interface SourceMatrix {
  nShards: number;
  /** Source symbols of the primary encoding: n − 2f, where f is the number of faults that n shards tolerate */
  rows: number;
  /** Source symbols of the secondary encoding: n − f */
  columns: number;
}

/** A symbol has an even number of bytes below 2^16. */
export const symbolAlignment = 2;
export const maxSymbolBytes = 65_534;

const minShards = 4;
/** Limited because the code's points, rounded up to powers of two, must be elements of a field of 2^16. */
export const maxShards = 32_768;

/** Throws `RangeError` for an unsupported number of shards: 4 to 32,768 are allowed. */
export function sourceMatrix(nShards: number): SourceMatrix {
  if (!Number.isInteger(nShards) || nShards < minShards || nShards > maxShards)
    throw new RangeError(`${nShards} shards: must be ${minShards} to ${maxShards}`);
  const faults = Math.floor((nShards - 1) / 3);
  return { nShards, rows: nShards - 2 * faults, columns: nShards - faults };
}

/** The largest blob, in bytes, that this many shards can encode. Throws `RangeError` like `sourceMatrix`. */
export function maxBlobSize(nShards: number): number {
  const { rows, columns } = sourceMatrix(nShards);
  return rows * columns * maxSymbolBytes;
}

/**
 * Bytes of a symbol for a blob of `size` bytes. Throws `RangeError` for an invalid size, and for one that is too large for
 * the shards.
 */
export function symbolBytesFor({ nShards, rows, columns }: SourceMatrix, size: number): number {
  if (!Number.isSafeInteger(size) || size < 0) throw new RangeError(`a blob cannot have ${size} bytes`);
  const bytes = Math.ceil(Math.max(size, 1) / (rows * columns));
  const symbolBytes = Math.ceil(bytes / symbolAlignment) * symbolAlignment;
  if (symbolBytes > maxSymbolBytes)
    throw new RangeError(`${size} bytes: ${nShards} shards encode at most ${maxBlobSize(nShards)}`);
  return symbolBytes;
}
