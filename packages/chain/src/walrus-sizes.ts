/** Sizes and prices on Walrus with the encoding RS2 (`contracts/walrus/sources/system/redstuff.move`). */

const bytesPerUnit = 1024 * 1024;
/** Reed-Solomon works on symbols of an even number of bytes */
const symbolAlignment = 2;
/** Two 32-byte hashes per sliver pair, and the blob id */
const hashBytesPerPair = 64;
const blobIdBytes = 32;

/** Bytes that a blob of `size` bytes takes when encoded over `nShards` shards. */
export function encodedBlobLength(size: number, nShards: number): number {
  const faulty = Math.floor((nShards - 1) / 3);
  const primary = nShards - 2 * faulty;
  const secondary = nShards - faulty;
  const symbol = Math.ceil(Math.max(size, 1) / (primary * secondary));
  const aligned = Math.ceil(symbol / symbolAlignment) * symbolAlignment;
  return nShards * ((primary + secondary) * aligned + nShards * hashBytesPerPair + blobIdBytes);
}

/** Number of 1 MiB units charged for an encoded size. */
export function storageUnits(encodedBytes: number): bigint {
  return BigInt(Math.ceil(encodedBytes / bytesPerUnit));
}

export interface WalrusPrices {
  /** FROST per unit and epoch */
  storage: bigint;
  /** FROST per unit */
  write: bigint;
}

/** Prices in FROST (1 WAL = 1e9) for storing an encoded size. */
export function storageCost(encodedBytes: number, epochs: number, prices: WalrusPrices) {
  const units = storageUnits(encodedBytes);
  return { storage: units * prices.storage * BigInt(epochs), write: units * prices.write };
}
