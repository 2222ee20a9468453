import type { StoreObject } from '@memrelay/protocol/sidecar-api';
import type { KnownBlobs, Stray } from '../rows/stray-rows.ts';

/**
 * The objects of an owner that nothing needs. One of a blob that is needed stays: the one that a memory names, else the
 * one that lives longest. An object that ends before the blob is not a stray: the blob was stored for longer since.
 */
export function findStrays(held: readonly StoreObject[], known: KnownBlobs): Stray[] {
  const strays: Stray[] = [];
  for (const [blobId, objects] of Map.groupBy(held, ({ blob_id }) => blob_id)) {
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

/** Sorts the object to keep first; the order is the same at each look. */
function byWorth(a: StoreObject, b: StoreObject): number {
  const byState = Number(b.certified) - Number(a.certified) || b.end_epoch - a.end_epoch;
  return byState || (a.object_id < b.object_id ? -1 : 1);
}
