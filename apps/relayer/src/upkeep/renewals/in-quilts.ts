import { maxQuiltBytes } from '../../jobs/upload/quilt-bounds.ts';
import type { Expiring } from '../rows/renewal-rows.ts';

/** Read and queued together, where quilts are small */
const leastTogether = 16;

/**
 * Memories of one namespace each, as many as are packed together, those of one quilt side by side: packed as they were,
 * they are the same blob again.
 */
export function inQuilts(memories: readonly Expiring[], maxItems: number): Expiring[][] {
  const placeOf = ({ accountId, namespace }: Expiring): string => `${accountId.toString('hex')} ${namespace}`;
  const most = Math.max(maxItems, leastTogether);
  const quilts: Expiring[][] = [];
  for (const all of Map.groupBy(memories, placeOf).values()) {
    let bytes = Number.POSITIVE_INFINITY;
    for (const memory of all.toSorted((a, b) => (a.blobId < b.blobId ? -1 : 1))) {
      bytes += memory.size;
      if (bytes <= maxQuiltBytes && quilts.at(-1)!.length < most) quilts.at(-1)!.push(memory);
      else {
        quilts.push([memory]);
        bytes = memory.size;
      }
    }
  }
  return quilts;
}
