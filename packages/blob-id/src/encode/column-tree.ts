import { digestBytes, emptyNodeAt } from '../kernel/hash-code.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { type Range, repeatFirst, withoutRepeats } from './ranges.ts';

/** Leaf digests, `stride` bytes apart. The leaves in `equal` have the same digest. */
export interface Leaves {
  at: number;
  stride: number;
  count: number;
  equal: Range;
}

/** Size of the working memory of `treeRoot`, in bytes. */
export const treeBytes = (leaves: number): number => Math.ceil(leaves / 2) * digestBytes;

/**
 * Computes the root of the Merkle tree over the leaves and writes it to `work`. In a level with an odd number of
 * nodes the last one is paired with an empty node of zeros. Subtrees of equal leaves are hashed once.
 */
export function treeRoot(kernel: Kernel, leaves: Leaves, work: number): void {
  const bytes = kernel.bytes();
  let { at, stride, count, equal } = leaves;
  while (count > 1) {
    const pairs = Math.floor(count / 2);
    equal = { start: Math.ceil(equal.start / 2), end: Math.floor(equal.end / 2) };
    for (const { start, end } of withoutRepeats(pairs, equal)) {
      const left = at + 2 * start * stride;
      kernel.hashPairs(left, 2 * stride, left + stride, 2 * stride, work + start * digestBytes, end - start);
    }
    if (count % 2 === 1)
      kernel.hashPairs(at + 2 * pairs * stride, 0, emptyNodeAt, 0, work + pairs * digestBytes, 1);
    repeatFirst(bytes, work, digestBytes, equal);
    at = work;
    stride = digestBytes;
    count = Math.ceil(count / 2);
  }
}
