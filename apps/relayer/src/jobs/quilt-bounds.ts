import { maxPatches, quiltBytes } from '@memrelay/chain/quilt-size';
import { encodedBlobLength, storageUnits } from '@memrelay/chain/walrus-sizes';

/** What may go into one quilt. */
export interface QuiltBounds {
  /** 1 packs nothing */
  maxItems: number;
  nShards: number;
}

/** Of a quilt as it is packed: several uploads go on at a time, and each is held in memory a few times. */
export const maxQuiltBytes = 8 * 1024 * 1024;

/** Bounds for a network with so many shards; undefined asks for as many as it has room for. */
export function quiltBounds(maxItems: number | undefined, nShards: number): QuiltBounds {
  return { maxItems: Math.min(maxItems ?? Number.POSITIVE_INFINITY, maxPatches(nShards)), nShards };
}

/** Name of a memory's patch: `hex(tag).hex(envelope_id)` (security.md). */
export function patchName(envelope: Uint8Array): string {
  const hex = Buffer.from(envelope.buffer, envelope.byteOffset, envelope.byteLength).toString('hex', 48, 88);
  return `${hex.slice(0, 32)}.${hex.slice(-32)}`;
}

const patchNameLength = 65;

/**
 * Those of the items that are cheaper in one quilt than apart. A patch takes whole columns as long as the longest needs, so
 * the largest are left out for as long as the rest and they cost less apart.
 */
export function worthPacking<Item extends { size: number }>(
  items: readonly Item[],
  { maxItems, nShards }: QuiltBounds,
): Item[] {
  const rest = items.toSorted((a, b) => a.size - b.size).slice(0, maxItems);
  const bytesOf = (some: readonly Item[]): number =>
    quiltBytes(
      some.map(({ size }) => size),
      patchNameLength,
      nShards,
    );
  const price = (bytes: number): bigint => storageUnits(encodedBlobLength(bytes, nShards));
  while (rest.length > 1) {
    const bytes = bytesOf(rest);
    const apart = price(bytesOf(rest.slice(0, -1))) + price(rest.at(-1)!.size);
    if (bytes <= maxQuiltBytes && price(bytes) <= apart) break;
    rest.pop();
  }
  return rest;
}
