/** Sizes of quilts in the format QuiltV1 of Walrus 1.56 (`quilt_encoding.rs`). */

/** Version byte and length of the index */
const indexPrefixBytes = 5;
/** Header of a patch, and the length of its identifier */
const patchPrefixBytes = 6 + 2;
const maxIndexColumns = 10;
/** Symbols have an even number of bytes */
const symbolAlignment = 2;

export interface QuiltSize {
  /** Size of the quilt before encoding, which is stored as one blob */
  bytes: number;
  /** Columns that each patch takes */
  columns: number;
}

/** Rows and columns of a quilt. At least one column holds the index. */
function matrix(nShards: number): { rows: number; columns: number } {
  const faulty = Math.floor((nShards - 1) / 3);
  return { rows: nShards - 2 * faulty, columns: nShards - faulty };
}

/** Maximum number of patches in a quilt. */
export function maxPatches(nShards: number): number {
  return matrix(nShards).columns - 1;
}

/**
 * Size of a quilt of `count` patches of `size` bytes each, with identifiers of `identifierLength` ASCII characters (below
 * 128) and no tags. Throws `RangeError` for more patches than columns.
 */
export function quiltSize(count: number, size: number, identifierLength: number, nShards: number): QuiltSize {
  const bytes = quiltBytes(new Array<number>(count).fill(size), identifierLength, nShards);
  const { columns } = matrix(nShards);
  return { bytes, columns: Math.ceil(patchBytes(size, identifierLength) / (bytes / columns)) };
}

/**
 * Size in bytes of a quilt with patches of these sizes, with identifiers as above and no tags. Each patch takes whole columns,
 * and the quilt has the smallest symbol size with which all patches fit. So one large patch among many small ones makes the
 * quilt many times larger than the patches. Throws `RangeError` for more patches than columns.
 */
export function quiltBytes(sizes: readonly number[], identifierLength: number, nShards: number): number {
  const { rows, columns } = matrix(nShards);
  if (sizes.length < 1 || sizes.length > maxPatches(nShards))
    throw new RangeError(`a quilt over ${nShards} shards has from 1 to ${maxPatches(nShards)} patches`);
  // The number of entries, then for each entry: its end column (2 bytes), its identifier, and a flag for no tags
  const index =
    indexPrefixBytes + (sizes.length < 128 ? 1 : 2) + sizes.length * (2 + 1 + identifierLength + 1);
  const patches = sizes.map((size) => patchBytes(size, identifierLength));
  const fits = (halfSymbol: number): boolean => {
    const columnBytes = rows * halfSymbol * symbolAlignment;
    const indexColumns = Math.ceil(index / columnBytes);
    const used = patches.reduce((sum, bytes) => sum + Math.ceil(bytes / columnBytes), indexColumns);
    return indexColumns <= maxIndexColumns && used <= columns;
  };
  let tooSmall = 0;
  let enough = 1;
  while (!fits(enough)) {
    tooSmall = enough;
    enough *= 2;
  }
  while (enough - tooSmall > 1) {
    const middle = Math.floor((tooSmall + enough) / 2);
    if (fits(middle)) enough = middle;
    else tooSmall = middle;
  }
  return rows * columns * enough * symbolAlignment;
}

function patchBytes(size: number, identifierLength: number): number {
  return patchPrefixBytes + 1 + identifierLength + size;
}
