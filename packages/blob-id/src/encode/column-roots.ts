import { digestBytes } from '../kernel/hash-code.ts';

const symbols = 2 ** 16;

/**
 * Tree roots of columns with one two-byte symbol in their first row and zeros below. The code derives such a column
 * from that symbol alone, so there are 65,536 of them for all blobs. All columns of a blob that fits into the first
 * row are of this kind, including those that the code adds.
 */
export interface ColumnRoots {
  /** Writes the root for a symbol to `address`, if it is known. */
  copyTo(bytes: Uint8Array, address: number, symbol: number): boolean;
  /** Stores the root at `address` for a symbol. */
  keep(bytes: Uint8Array, address: number, symbol: number): void;
}

/** Takes 2 MB when the first root is stored, and fills up on demand. */
export function createColumnRoots(): ColumnRoots {
  const known = new Uint8Array(symbols / 8);
  let roots: Uint8Array | undefined;
  return {
    copyTo(bytes, address, symbol) {
      if (roots === undefined || !((known[symbol >> 3]! >> (symbol & 7)) & 1)) return false;
      bytes.set(roots.subarray(symbol * digestBytes, (symbol + 1) * digestBytes), address);
      return true;
    },
    keep(bytes, address, symbol) {
      roots ??= new Uint8Array(symbols * digestBytes);
      roots.set(bytes.subarray(address, address + digestBytes), symbol * digestBytes);
      known[symbol >> 3]! |= 1 << (symbol & 7);
    },
  };
}
