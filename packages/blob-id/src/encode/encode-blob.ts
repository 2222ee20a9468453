import { digestBytes } from '../kernel/hash-code.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { BlobSource } from '../source/blob-source.ts';
import type { SourceMatrix } from '../source/matrix.ts';
import { createArena } from './arena.ts';
import type { BlobPlan } from './blob-plan.ts';
import type { ColumnRoots } from './column-roots.ts';
import { treeBytes, treeRoot } from './column-tree.ts';
import { type Codes, expandColumns, expandRows, symbolsPerStrip } from './expand.ts';
import type { DigestList } from './leaf-hasher.ts';
import { type Range, repeatFirst, withoutRepeats } from './ranges.ts';
import { readBufferFor, readRows } from './read-rows.ts';
import { createRowTrees, levelsFor, rowTreesBytes } from './row-trees.ts';
import { createRunningHasher, messageBytes } from './running-hasher.ts';
import { createTableHasher } from './table-hasher.ts';

/** The state that all blobs of a number of shards share. */
export interface Encoder {
  matrix: SourceMatrix;
  kernel: Kernel;
  codes: Codes;
  /** Address of a table with the digests of all two-byte symbols, if there is one */
  digestTable: number | undefined;
  /** Cache of tree roots of columns with one symbol; only with a digest table */
  columnRoots: ColumnRoots | undefined;
  /** The first address that each blob may reuse */
  heap: number;
}

/** The hashes of all slivers, n × 32 bytes for each kind. */
export interface SliverHashes {
  /** By row */
  primary: Uint8Array;
  /** By column */
  secondary: Uint8Array;
}

/** Memory budget in bytes for columns that are expanded together. */
const columnsBudgetBytes = 2 * 2 ** 20;

/** The number of columns that fill a strip with their shortest chunk. */
function columnsTogether({ matrix, passes, symbolBytes }: BlobPlan): number {
  const widest = Math.max(...passes.map(messageBytes));
  const fitting = symbolBytes === 2 ? Infinity : columnsBudgetBytes / (matrix.nShards * widest);
  const shortest = Math.min(...passes.flatMap(({ chunks }) => chunks.map(({ elements }) => elements)));
  return Math.max(1, Math.floor(Math.min(fitting, symbolsPerStrip(shortest), matrix.nShards)));
}

/** Columns that are hashed separately, and the level at which their parts of the row trees are joined. */
export interface ColumnPart extends Range {
  level: number;
}

/** Two parts of about the same size. The first part fills complete subtrees. */
export function columnHalves(nShards: number): [ColumnPart, ColumnPart] {
  const level = levelsFor(nShards) - 1;
  const half = 2 ** level;
  return [
    { start: 0, end: half, level },
    { start: half, end: nShards, level },
  ];
}

/**
 * Encodes a blob and hashes all its slivers, reading it once for each pass of the plan. With a part, `primary` has
 * the nodes above its columns in each row's tree instead of the roots, and `secondary` has only the hashes of its
 * columns.
 */
export function hashSlivers(
  { kernel, codes, digestTable, columnRoots, heap }: Encoder,
  plan: BlobPlan,
  source: BlobSource,
  part: ColumnPart = { start: 0, end: plan.matrix.nShards, level: levelsFor(plan.matrix.nShards) },
): SliverHashes {
  const zeroColumns = {
    start: Math.min(part.end, Math.max(plan.zeroColumns.start, part.start)),
    end: Math.max(part.start, Math.min(plan.zeroColumns.end, part.end)),
  };
  const { nShards } = plan.matrix;
  const knownRoots = plan.symbolBytes === 2 && plan.usedRows === 1 ? columnRoots : undefined;
  const arena = createArena(heap);
  const together = columnsTogether(plan);
  const hasher =
    plan.symbolBytes === 2 && digestTable !== undefined
      ? createTableHasher(kernel, nShards, together, digestTable, arena)
      : createRunningHasher(kernel, plan, together, arena);
  const widestPass = Math.max(...plan.passes.map(({ bytes }) => bytes));
  const rowsAt = arena.take(plan.usedRows * nShards * widestPass);
  const readBuffer = arena.take(readBufferFor(plan));
  const treeAt = arena.take(treeBytes(nShards));
  const rowTrees = createRowTrees(
    kernel,
    nShards,
    plan.zeroRows,
    arena.take(rowTreesBytes(nShards)),
    part.level,
  );
  const secondaryAt = arena.take(nShards * digestBytes);
  kernel.reserve(arena.end);

  /** `symbolAt` is the address of the first symbol of the column. */
  function finishColumn(column: number, leaves: DigestList, symbolAt: number): void {
    const bytes = kernel.bytes();
    const rootAt = secondaryAt + column * digestBytes;
    const symbol = bytes[symbolAt]! | (bytes[symbolAt + 1]! << 8);
    if (!knownRoots?.copyTo(bytes, rootAt, symbol)) {
      treeRoot(kernel, { ...leaves, count: nShards, equal: plan.zeroRows }, treeAt);
      bytes.copyWithin(rootAt, treeAt, treeAt + digestBytes);
      knownRoots?.keep(bytes, rootAt, symbol);
    }
    const { start, end } = zeroColumns;
    const zero = start <= column && column < end;
    for (let same = column; same < (zero ? end : column + 1); same++) rowTrees.push({ ...leaves, zero });
  }

  for (const pass of plan.passes) {
    const rows = { at: rowsAt, stride: nShards * pass.bytes };
    readRows(kernel, source, plan, pass, rows, readBuffer);
    expandRows(kernel, codes, plan, pass, rows);
    const columns = hasher.beginPass(pass);
    for (const { start, end } of withoutRepeats(part, zeroColumns)) {
      for (let first = start; first < end; first += together) {
        const count = Math.min(together, end - first);
        expandColumns(kernel, codes, plan, pass, rows, { first, count }, columns);
        for (let place = 0; place < count; place++) {
          const leaves = hasher.take(pass, first + place, place);
          const symbolAt = columns.at + place * nShards * columns.stride;
          if (leaves !== undefined) finishColumn(first + place, leaves, symbolAt);
        }
      }
    }
  }
  const primaryAt = rowTrees.finish();
  const bytes = kernel.bytes();
  repeatFirst(bytes, secondaryAt, digestBytes, zeroColumns);
  return {
    primary: bytes.slice(primaryAt, primaryAt + nShards * digestBytes),
    secondary: bytes.slice(secondaryAt + part.start * digestBytes, secondaryAt + part.end * digestBytes),
  };
}
