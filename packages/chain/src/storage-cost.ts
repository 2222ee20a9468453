import { maxPatches, quiltSize } from './quilt-size.ts';
import { assumedGas, type WalrusTariff } from './walrus-prices.ts';
import { encodedBlobLength, storageCost, storageUnits } from './walrus-sizes.ts';

/** Name of a memory's patch: tag and envelope id in hex, with a dot between */
const identifierLength = 65;

/** Prices and shards, which the cost depends on. */
type Tariff = Pick<WalrusTariff, 'storage' | 'write' | 'nShards'>;

/** What storing memories in one way costs. Sizes in bytes, WAL in FROST and SUI in MIST (both 1e-9). */
export interface StorageCost {
  blobs: number;
  encodedBytes: bigint;
  storageFrost: bigint;
  writeFrost: bigint;
  /** Share of the cost that empty blobs would have too: 0 to 1 */
  minimumShare: number;
  /** Assumed, see `assumedGas` */
  gasMist: bigint;
}

/** Each memory as a separate blob. */
export function costAlone(memories: number, envelope: number, epochs: number, tariff: Tariff): StorageCost {
  return sum([{ blobs: memories, size: envelope }], epochs, tariff);
}

/**
 * Cost with this many memories in each quilt; the last quilt has the rest. Throws `RangeError` for more than a quilt
 * can hold.
 */
export function costQuilted(
  memories: number,
  envelope: number,
  epochs: number,
  perQuilt: number,
  tariff: Tariff,
): StorageCost {
  const full = Math.floor(memories / perQuilt);
  const rest = memories % perQuilt;
  const size = (count: number): number => quiltSize(count, envelope, identifierLength, tariff.nShards).bytes;
  return sum(
    [
      ...(full > 0 ? [{ blobs: full, size: size(perQuilt) }] : []),
      ...(rest > 0 ? [{ blobs: 1, size: size(rest) }] : []),
    ],
    epochs,
    tariff,
  );
}

/** The assumed quilt size: a quilt contains the memories that wait together, rarely as many as the network allows. */
export function usualPerQuilt(nShards: number): number {
  return Math.min(100, maxPatches(nShards));
}

function sum(parts: readonly { blobs: number; size: number }[], epochs: number, tariff: Tariff): StorageCost {
  const smallest = storageUnits(encodedBlobLength(0, tariff.nShards));
  let units = 0n;
  const cost = { blobs: 0, encodedBytes: 0n, storageFrost: 0n, writeFrost: 0n };
  for (const { blobs, size } of parts) {
    const encoded = encodedBlobLength(size, tariff.nShards);
    const each = storageCost(encoded, epochs, tariff);
    const count = BigInt(blobs);
    units += count * storageUnits(encoded);
    cost.blobs += blobs;
    cost.encodedBytes += count * BigInt(encoded);
    cost.storageFrost += count * each.storage;
    cost.writeFrost += count * each.write;
  }
  return {
    ...cost,
    minimumShare: Number(smallest * BigInt(cost.blobs)) / Number(units),
    gasMist: BigInt(cost.blobs) * assumedGas.upload,
  };
}
