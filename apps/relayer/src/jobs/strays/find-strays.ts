import type { StoreObject } from '@memrelay/protocol/sidecar-api';
import type { KnownBlobs, Stray } from '../rows/stray-rows.ts';

/**
 * Returns the objects of an owner that are not needed. For each needed blob one object is kept: the one that a memory
 * names, otherwise the one that expires last. An object that expires before its blob is not a stray, because the blob has
 * since been stored for longer.
 */
export function findStrays(owned: readonly StoreObject[], known: KnownBlobs): Stray[] {
  const strays: Stray[] = [];
  for (const [blobId, objects] of Map.groupBy(owned, ({ blob_id }) => blob_id)) {
    const unnamed = objects.filter(({ object_id }) => !known.objects.has(object_id));
    const end = known.needed.get(blobId);
    const found = (all: readonly StoreObject[], reason: Stray['reason']): void => {
      for (const { object_id: objectId } of all) strays.push({ objectId, blobId, reason });
    };
    if (known.underWay.has(blobId)) continue;
    if (end !== undefined) {
      const isNamed = unnamed.length < objects.length;
      const extra = isNamed ? unnamed : unnamed.toSorted(byWorth).slice(1);
      found(
        extra.filter(({ end_epoch }) => end_epoch >= end),
        'paid_twice',
      );
    } else if (known.forgotten.has(blobId)) found(unnamed, 'forgotten');
    else if (known.replaced.has(blobId)) found(unnamed, 'paid_twice');
  }
  return strays;
}

/** Sorts the object to keep first. The order is the same at each check. */
function byWorth(a: StoreObject, b: StoreObject): number {
  const byState = Number(b.certified) - Number(a.certified) || b.end_epoch - a.end_epoch;
  return byState || (a.object_id < b.object_id ? -1 : 1);
}
