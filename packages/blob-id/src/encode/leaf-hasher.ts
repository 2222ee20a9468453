import type { Pass } from './blob-plan.ts';
import type { Columns } from './expand.ts';

/** Hashes the symbols of one column after the other: each leaf is the BLAKE2b-256 of 0x00 and the symbol. */
export interface LeafHasher {
  /** Where a pass must write its columns, which is all zeros before */
  beginPass(pass: Pass): Columns;
  /**
   * Takes the column written at the `place`-th position. In the last pass it returns the address of the digests,
   * which stay there until the column after the next was taken.
   */
  take(pass: Pass, column: number, place: number): DigestList | undefined;
}

export interface DigestList {
  at: number;
  /** Bytes from one digest to the next */
  stride: number;
}
