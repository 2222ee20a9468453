/**
 * Sizes of the RS2 encoding (Red Stuff), from the number of shards. The on-chain contract computes the same
 * numbers, so they decide what a blob costs.
 */

/** The Reed-Solomon code works on 16-bit words, so a symbol is an even number of bytes below 2^16. */
const symbolAlignment = 2;
const maxSymbolBytes = 65_534;
const digestBytes = 32;
const blobIdBytes = 32;

interface SourceSymbols {
  primary: number;
  secondary: number;
}

/** Rows and columns of the source matrix: n − 2f and n − f, with f the faults that n shards tolerate. */
function sourceSymbols(nShards: number): SourceSymbols {
  const faults = Math.floor((nShards - 1) / 3);
  return { primary: nShards - 2 * faults, secondary: nShards - faults };
}

/** The largest blob, in bytes, that `nShards` shards can encode. */
export function maxBlobSize(nShards: number): number {
  const { primary, secondary } = sourceSymbols(nShards);
  return primary * secondary * maxSymbolBytes;
}

/** Bytes of storage that a blob of `size` bytes takes on the network, all slivers and their metadata together. */
export function encodedLength(size: number, nShards: number): number {
  const { primary, secondary } = sourceSymbols(nShards);
  const perSymbol = Math.ceil(Math.max(size, 1) / (primary * secondary));
  const symbolBytes = Math.ceil(perSymbol / symbolAlignment) * symbolAlignment;
  const metadataBytes = nShards * digestBytes * 2 + blobIdBytes;
  return nShards * ((primary + secondary) * symbolBytes + metadataBytes);
}
