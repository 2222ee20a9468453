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

/** From this many shards on, a table of all leaf digests costs less than hashing the leaves of one blob. */
const tableFromShards = 256;
/** An encoder with its own memory, at first 4 MB at 1000 shards. Throws `RangeError` for a wrong number of shards. */
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

/** By number of shards, those of this thread that wait for their next blob. */
const encoders = new Map<number, Encoder>();

/**
 * Lends an encoder of this thread. It is kept with all its memory: were it left to the garbage collector after a
 * large blob, large ones in a row would take new memory faster than that returns it.
 */
export function withEncoder<T>(nShards: number, use: (encoder: Encoder) => T): T {
  const encoder = encoders.get(nShards) ?? createEncoder(nShards);
  // After an error nothing is known about its memory, and a source may itself ask for an id
  encoders.delete(nShards);
  const result = use(encoder);
  encoders.set(nShards, encoder);
  return result;
}
