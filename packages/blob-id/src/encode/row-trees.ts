import { digestBytes, emptyNodeAt } from '../kernel/hash-code.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { type Range, repeatFirst, withoutRepeats } from './ranges.ts';

/** One node of each row's tree. */
export interface RowNodes {
  at: number;
  /** Bytes from one row's node to the next */
  stride: number;
  /** Whether all leaves below are digests of zero symbols */
  zero: boolean;
}

/** The Merkle trees over all rows of the matrix, fed column by column. */
export interface RowTrees {
  /** Adds the next leaf of every row. The leaves must stay valid until the next call. */
  push(leaves: RowNodes): void;
  /** Call after all columns. Returns the address of the roots, one after another. */
  finish(): number;
}

export const levelsFor = (columns: number): number => Math.ceil(Math.log2(columns));

/** Size of the working memory of the trees, in bytes. */
export const rowTreesBytes = (nShards: number): number => (levelsFor(nShards) + 1) * nShards * digestBytes;

/**
 * The rows of `equal` have the same leaves, so only the first of them is hashed. `work` is the address of their
 * memory. The trees have `levels` levels above their leaves; by default enough for all columns.
 */
export function createRowTrees(
  kernel: Kernel,
  nShards: number,
  equal: Range,
  work: number,
  levels = levelsFor(nShards),
): RowTrees {
  const ranges = withoutRepeats(nShards, equal);
  const empty: RowNodes = { at: emptyNodeAt, stride: 0, zero: false };
  const free = Array.from({ length: levelsFor(nShards) + 1 }, (_, i) => work + i * nShards * digestBytes);
  /** By level, leaves first: complete subtrees that wait for their sibling */
  const waiting: (RowNodes | undefined)[] = [];
  /** By level: the node above only zero symbols, once it has been hashed */
  const zeroNodes: (Uint8Array | undefined)[] = [];

  function join(level: number, left: RowNodes, right: RowNodes): RowNodes {
    const at = level === 0 ? free.pop()! : left.at;
    const joined = { at, stride: digestBytes, zero: left.zero && right.zero };
    const known = joined.zero ? zeroNodes[level] : undefined;
    if (known === undefined) {
      for (const { start, end } of ranges)
        kernel.hashPairs(
          left.at + start * left.stride,
          left.stride,
          right.at + start * right.stride,
          right.stride,
          at + start * digestBytes,
          end - start,
        );
      if (joined.zero) zeroNodes[level] = kernel.bytes().slice(at, at + digestBytes);
    } else {
      const bytes = kernel.bytes();
      bytes.set(known, at);
      repeatFirst(bytes, at, digestBytes, { start: 0, end: nShards });
    }
    if (level > 0 && right !== empty) free.push(right.at);
    return joined;
  }

  return {
    push(leaves) {
      let node = leaves;
      let level = 0;
      for (let left = waiting[0]; left !== undefined; left = waiting[level]) {
        node = join(level, left, node);
        waiting[level] = undefined;
        level++;
      }
      waiting[level] = node;
    },
    finish() {
      let last: RowNodes | undefined;
      for (let level = 0; level < levels; level++) {
        const left = waiting[level];
        if (left !== undefined) last = join(level, left, last ?? empty);
        else if (last !== undefined) last = join(level, last, empty);
      }
      const roots = (last ?? waiting[levels]!).at;
      repeatFirst(kernel.bytes(), roots, digestBytes, equal);
      return roots;
    },
  };
}
