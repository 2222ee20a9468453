import { factorTables } from '../field/factor-tables.ts';
import { heapStart } from '../kernel/hash-code.ts';
import { createKernel } from '../kernel/kernel.ts';
import { positionBytes } from '../kernel/transform-code.ts';
import { sourceMatrix } from '../source/matrix.ts';
import { createArena } from './arena.ts';
import { createColumnRoots } from './column-roots.ts';
import type { Encoder } from './encode-blob.ts';
import { factorLimit, stripCodeFor } from './strip-code.ts';
import { digestTableBytes, writeDigestTable } from './table-hasher.ts';

/**
 * From this many shards on, computing a table of all leaf digests takes less time than hashing the leaves of one
 * blob.
 */
const tableFromShards = 256;
/**
 * Creates an encoder with separate memory, initially 4 MB at 1000 shards. Throws `RangeError` for an unsupported
 * number of shards.
 */
export function createEncoder(nShards: number): Encoder {
  const matrix = sourceMatrix(nShards);
  const rowCode = stripCodeFor(matrix.columns, nShards - matrix.columns);
  const columnCode = stripCodeFor(matrix.rows, nShards - matrix.rows);
  const factors = factorTables(Math.max(factorLimit(rowCode), factorLimit(columnCode)));
  const kernel = createKernel();
  const arena = createArena(heapStart);
  const tables = arena.take(factors.byteLength);
  const strip = arena.take(Math.max(rowCode.positions, columnCode.positions) * positionBytes);
  const digestTable = nShards < tableFromShards ? undefined : arena.take(digestTableBytes);
  const heap = arena.end;
  kernel.reserve(heap);
  kernel.bytes().set(factors, tables);
  if (digestTable !== undefined) writeDigestTable(kernel, digestTable, heap);
  const columnRoots = digestTable === undefined ? undefined : createColumnRoots();
  return { matrix, kernel, codes: { rowCode, columnCode, strip, tables }, digestTable, columnRoots, heap };
}

/** Idle encoders of this thread, by number of shards. */
const encoders = new Map<number, Encoder>();

/**
 * Calls `use` with an encoder of this thread. The encoder and its memory are kept for the next blob, because with
 * several large blobs in a row the garbage collector would free memory more slowly than it is allocated.
 */
export function withEncoder<T>(nShards: number, use: (encoder: Encoder) => T): T {
  const encoder = encoders.get(nShards) ?? createEncoder(nShards);
  // Removed while in use: after an error its memory is undefined, and a source may compute an id itself
  encoders.delete(nShards);
  const result = use(encoder);
  encoders.set(nShards, encoder);
  return result;
}
