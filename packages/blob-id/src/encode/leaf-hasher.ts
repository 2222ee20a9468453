import type { Pass } from './blob-plan.ts';
import type { Columns } from './expand.ts';

/** Hashes the symbols of one column after the other: each leaf is the BLAKE2b-256 of 0x00 and the symbol. */
export interface LeafHasher {
  /** Where a pass must write its columns, which is all zeros before */
  beginPass(pass: Pass): Columns;
  /**
   * Takes a column that was written at the `place`-th place. In the last pass it returns where the digests are; they
   * stay there until the one after the next column was taken.
   */
  take(pass: Pass, column: number, place: number): DigestList | undefined;
}

export interface DigestList {
  at: number;
  /** Bytes from one digest to the next */
  stride: number;
}
