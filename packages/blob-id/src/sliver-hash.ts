import { createArena } from './encode/arena.ts';
import { wholePass } from './encode/blob-plan.ts';
import { treeBytes, treeRoot } from './encode/column-tree.ts';
import type { Encoder } from './encode/encode-blob.ts';
import { withEncoder } from './encode/encoders.ts';
import { expandColumns, expandRows } from './encode/expand.ts';
import { createRunningHasher } from './encode/running-hasher.ts';
import { digestBytes } from './kernel/hash-code.ts';
import { symbolAlignment } from './source/matrix.ts';

/** A primary sliver is a row of the source matrix, or a row of its extension; a secondary one is a column. */
export type SliverKind = 'primary' | 'secondary';

/** Number of symbols of a sliver, which is the number of columns or rows of the source matrix. */
export function sliverSymbols(
  { rows, columns }: { rows: number; columns: number },
  kind: SliverKind,
): number {
  return kind === 'primary' ? columns : rows;
}

/**
 * The hash of one sliver, 32 bytes, as blob metadata lists it: the root of the Merkle tree over its symbols and those
 * that the code adds. Throws `RangeError` when `data` is not a whole number of symbols.
 */
export function sliverHash(data: Uint8Array, kind: SliverKind, nShards: number): Uint8Array {
  return withEncoder(nShards, (encoder) => {
    const count = sliverSymbols(encoder.matrix, kind);
    const symbolBytes = data.byteLength / count;
    if (symbolBytes === 0 || !Number.isInteger(symbolBytes / symbolAlignment))
      throw new RangeError(`${data.byteLength} bytes are not a ${kind} sliver of ${nShards} shards`);
    return hashOf(encoder, data, kind, symbolBytes);
  });
}

function hashOf(
  { kernel, codes, matrix, heap }: Encoder,
  data: Uint8Array,
  kind: SliverKind,
  symbolBytes: number,
): Uint8Array {
  const { nShards } = matrix;
  const pass = wholePass(symbolBytes);
  const none = { start: 0, end: 0 };
  const plan = {
    matrix,
    size: data.byteLength,
    symbolBytes,
    usedRows: kind === 'primary' ? 1 : matrix.rows,
    usedColumns: kind === 'primary' ? matrix.columns : 1,
    zeroRows: none,
    zeroColumns: none,
    passes: [pass],
  };
  const arena = createArena(heap);
  const hasher = createRunningHasher(kernel, plan, 1, arena);
  const at = arena.take(nShards * symbolBytes);
  const tree = arena.take(treeBytes(nShards));
  kernel.reserve(arena.end);
  kernel.bytes().set(data, at);
  const messages = hasher.beginPass(pass);
  if (kind === 'primary') {
    expandRows(kernel, codes, plan, pass, { at, stride: nShards * symbolBytes });
    kernel.copyPieces(messages.at, messages.stride, at, symbolBytes, symbolBytes, nShards);
  } else {
    const rows = { at, stride: symbolBytes };
    expandColumns(kernel, codes, plan, pass, rows, { first: 0, count: 1 }, messages);
  }
  const leaves = hasher.take(pass, 0, 0)!;
  treeRoot(kernel, { ...leaves, count: nShards, equal: none }, tree);
  return kernel.bytes().slice(tree, tree + digestBytes);
}
