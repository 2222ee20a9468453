import { maxPatches, quiltBytes } from '@memrelay/chain/quilt-size';
import { encodedBlobLength, storageUnits } from '@memrelay/chain/walrus-sizes';

/** What may go into one quilt. */
export interface QuiltBounds {
  /** 1 packs nothing */
  maxItems: number;
  nShards: number;
}

/** Limit for a packed quilt: several uploads run at a time, and each is in memory several times. */
export const maxQuiltBytes = 8 * 1024 * 1024;

/** Bounds for a network with `nShards` shards. An undefined `maxItems` means as many as a quilt can hold there. */
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
 * Returns the items that are cheaper in one quilt than stored separately. If not all fit, keeps the first and the smallest
 * of the others. A patch occupies whole columns, whose length depends on the largest patch, so the largest items are left
 * out while that reduces the total cost.
 */
export function worthPacking<Item extends { size: number }>(
  items: readonly Item[],
  { maxItems, nShards }: QuiltBounds,
): Item[] {
  const bySize = items.slice(1).sort((a, b) => a.size - b.size);
  const withFirst = (others: number): Item[] =>
    [...items.slice(0, 1), ...bySize.slice(0, others)].sort((a, b) => a.size - b.size);
  const bytesOf = (some: readonly Item[]): number =>
    quiltBytes(
      some.map(({ size }) => size),
      patchNameLength,
      nShards,
    );
  let fitting = 0;
  let tooMany = Math.min(bySize.length, maxItems - 1) + 1;
  while (tooMany - fitting > 1) {
    const middle = Math.floor((fitting + tooMany) / 2);
    if (bytesOf(withFirst(middle)) <= maxQuiltBytes) fitting = middle;
    else tooMany = middle;
  }
  const price = (bytes: number): bigint => storageUnits(encodedBlobLength(bytes, nShards));
  const rest = withFirst(fitting);
  for (let bytes = rest.length > 1 ? bytesOf(rest) : 0; rest.length > 1; ) {
    const without = bytesOf(rest.slice(0, -1));
    if (price(bytes) <= price(without) + price(rest.at(-1)!.size)) break;
    rest.pop();
    bytes = without;
  }
  return rest;
}
