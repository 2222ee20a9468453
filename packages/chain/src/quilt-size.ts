/** Sizes of quilts, by the format QuiltV1 of Walrus 1.56 (`quilt_encoding.rs`). */

/** Version byte and length of the index */
const indexPrefixBytes = 5;
/** Header of a patch, and the length of its identifier */
const patchPrefixBytes = 6 + 2;
const maxIndexColumns = 10;

export interface QuiltSize {
  /** Of the whole quilt before it is encoded: what is stored as one blob */
  bytes: number;
  /** Columns that each patch takes */
  columns: number;
}

/** Rows and columns of a quilt; one column at least is the index's. */
function matrix(nShards: number): { rows: number; columns: number } {
  const faulty = Math.floor((nShards - 1) / 3);
  return { rows: nShards - 2 * faulty, columns: nShards - faulty };
}

/** The most patches that a quilt can have. */
export function maxPatches(nShards: number): number {
  return matrix(nShards).columns - 1;
}

/**
 * Size of a quilt of `count` patches of `size` bytes each, with identifiers of so many ASCII characters (below 128) and
 * no tags. Each patch takes whole columns, so a quilt has the smallest symbol with which all of them fit. Throws
 * `RangeError` for more patches than columns.
 */
export function quiltSize(count: number, size: number, identifierLength: number, nShards: number): QuiltSize {
  const { rows, columns } = matrix(nShards);
  if (count < 1 || count > maxPatches(nShards))
    throw new RangeError(`a quilt over ${nShards} shards has from 1 to ${maxPatches(nShards)} patches`);
  const identifier = 1 + identifierLength;
  const patch = patchPrefixBytes + identifier + size;
  // Each entry: its end (2 bytes), its identifier, and that it has no tags; before them their number
  const index = indexPrefixBytes + (count < 128 ? 1 : 2) + count * (2 + identifier + 1);
  for (let symbol = 2; ; symbol += 2) {
    const columnBytes = rows * symbol;
    const indexColumns = Math.ceil(index / columnBytes);
    const each = Math.ceil(patch / columnBytes);
    if (indexColumns <= maxIndexColumns && indexColumns + count * each <= columns)
      return { bytes: rows * columns * symbol, columns: each };
  }
}
