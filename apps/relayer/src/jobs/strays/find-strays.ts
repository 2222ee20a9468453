import type { StoreObject } from '@memrelay/protocol/sidecar-api';

/** What the database knows of an account's blobs. Blob ids of 43 characters: a patch is named by its quilt. */
export interface KnownBlobs {
  /** Objects that memories, or forgotten memories, name */
  objects: ReadonlySet<string>;
  /** Blobs that are needed, each with the epoch in which it is gone; 0 where that is not known */
  needed: ReadonlyMap<string, number>;
  /** Blobs of uploads that go on: what is there of them is found by those */
  underWay: ReadonlySet<string>;
  /** Blobs that nothing needs any more because their memory was forgotten */
  forgotten: ReadonlySet<string>;
  /** Blobs that an upload was about to store and that became another one: the memories stand elsewhere */
  replaced: ReadonlySet<string>;
}

export interface Stray {
  objectId: string;
  blobId: string;
  reason: 'paid_twice' | 'forgotten';
}

/**
 * The objects of an owner that nothing needs. One of a blob that is needed stays: the one that a memory names, else the
 * one that lives longest. An object that ends before the blob is none of them: the blob was stored for longer since.
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

/** The one to keep first; the same at each look. */
function byWorth(a: StoreObject, b: StoreObject): number {
  const byState = Number(b.certified) - Number(a.certified) || b.end_epoch - a.end_epoch;
  return byState || (a.object_id < b.object_id ? -1 : 1);
}
