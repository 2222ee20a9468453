import { maxSymbolBytes, sourceMatrix } from './source-matrix.ts';

/** The largest blob, in bytes, that `nShards` shards can encode. */
export function maxBlobSize(nShards: number): number {
  const { rows, columns } = sourceMatrix(nShards);
  return rows * columns * maxSymbolBytes;
}
