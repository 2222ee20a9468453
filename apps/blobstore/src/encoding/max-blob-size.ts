/** A symbol of the RS2 encoding has an even number of bytes below 2^16. */
const maxSymbolBytes = 65_534;

/**
 * The largest blob, in bytes, that `nShards` shards can encode: the source matrix has n − 2f rows and n − f
 * columns, with f the faults that n shards tolerate.
 */
export function maxBlobSize(nShards: number): number {
  const faults = Math.floor((nShards - 1) / 3);
  return (nShards - 2 * faults) * (nShards - faults) * maxSymbolBytes;
}
