/** The shape of the RS2 encoding: how bytes become a matrix of symbols. Walrus core, `encoding/config.rs`. */

export interface Matrix {
  nShards: number;
  /** Rows of the source matrix, n − 2f; the code makes n of them */
  rows: number;
  /** Columns of the source matrix, n − f; the code makes n of them */
  columns: number;
}

/** A symbol has an even number of bytes below 2^16. */
const maxSymbolBytes = 65_534;
const minShards = 4;
/** Points of the code are elements of a field of 2^16. */
const maxShards = 32_768;

/** Throws `RangeError` when there is no such code: 4 to 32,768 shards. */
export function matrixFor(nShards: number): Matrix {
  if (!Number.isInteger(nShards) || nShards < minShards || nShards > maxShards)
    throw new RangeError(`${nShards} shards: there must be ${minShards} to ${maxShards}`);
  const faults = Math.floor((nShards - 1) / 3);
  return { nShards, rows: nShards - 2 * faults, columns: nShards - faults };
}

/** Largest blob, in bytes, that this many shards can encode. Throws `RangeError` like `matrixFor`. */
export function maxBlobSize(nShards: number): number {
  const { rows, columns } = matrixFor(nShards);
  return rows * columns * maxSymbolBytes;
}

/** Bytes of a symbol for a blob of `size` bytes. Throws `RangeError` when the blob is too large for the shards. */
export function symbolBytesFor({ nShards, rows, columns }: Matrix, size: number): number {
  const bytes = Math.ceil(Math.max(size, 1) / (rows * columns));
  const symbolBytes = bytes + (bytes % 2);
  if (symbolBytes > maxSymbolBytes)
    throw new RangeError(`${size} bytes: ${nShards} shards encode at most ${maxBlobSize(nShards)}`);
  return symbolBytes;
}
