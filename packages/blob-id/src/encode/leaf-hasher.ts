import type { Pass } from './blob-plan.ts';
import type { Columns } from './expand.ts';

/** Hashes the symbols of columns, one column after another: each leaf is the BLAKE2b-256 of 0x00 and the symbol. */
export interface LeafHasher {
  /** Returns the memory to which a pass must write its columns. It is zeroed */
  beginPass(pass: Pass): Columns;
  /**
   * Hashes the column that was written at position `place`. In the last pass it returns the address of the digests,
   * which stay valid until the column after the next one is hashed.
   */
  take(pass: Pass, column: number, place: number): DigestList | undefined;
}

export interface DigestList {
  at: number;
  /** Bytes from one digest to the next */
  stride: number;
}
