import type { CertifiedObject, StorageResource, UncertifiedObject } from '../registry/blob-registry.ts';

/** The steps needed for a store, given the existing objects. */
export type StoreDecision =
  | { kind: 'register' }
  | { kind: 'certified-event'; existing: CertifiedObject }
  | { kind: 'certified-object'; existing: CertifiedObject }
  | { kind: 'extend'; existing: CertifiedObject; byEpochs: number }
  /** `byEpochs` is 0 where the registration is long enough */
  | { kind: 'resume'; existing: UncertifiedObject; byEpochs: number }
  | { kind: 'reuse-storage'; storage: StorageResource };

export interface StoreWish {
  /** First epoch in which the blob may be gone */
  targetEpoch: number;
  encodedLength: number;
  permanent: boolean;
  force: boolean;
  reuseResources: boolean;
}

/** Resources that a store can use: the existing objects of the blob, and spare storage. */
export interface Resources {
  live: readonly CertifiedObject[];
  uncertified: readonly UncertifiedObject[];
  spare: readonly StorageResource[];
}

function longest<T extends UncertifiedObject>(objects: readonly T[]): T | undefined {
  return objects.toSorted((a, b) => b.endEpoch - a.endEpoch)[0];
}

/**
 * The smallest storage that is large enough and lasts long enough; among equals the one that ends first. All of it
 * is used up.
 */
function bestFit(spare: readonly StorageResource[], wish: StoreWish): StorageResource | undefined {
  return spare
    .filter(({ storageSize, endEpoch }) => storageSize >= wish.encodedLength && endEpoch >= wish.targetEpoch)
    .toSorted((a, b) => a.storageSize - b.storageSize || a.endEpoch - b.endEpoch)[0];
}

/**
 * The real publisher's rules. A permanent blob that lives long enough is sufficient for anyone; a deletable one never
 * is, because its owner may delete it. With `reuse_resources` the publisher's own object of the same persistence is
 * used, and extended if it is too short. It may be certified, unless `force` requests a new certificate, or left
 * uncertified by an interrupted store. Failing both, spare storage is used.
 */
export function decideStore({ live, uncertified, spare }: Resources, wish: StoreWish): StoreDecision {
  const permanent = longest(live.filter(({ deletable }) => !deletable));
  if (!wish.force && wish.permanent && permanent !== undefined && permanent.endEpoch >= wish.targetEpoch) {
    return { kind: 'certified-event', existing: permanent };
  }
  if (!wish.reuseResources) return { kind: 'register' };
  const isUsable = ({ owned, deletable }: UncertifiedObject) => owned && deletable !== wish.permanent;
  const certified = wish.force ? undefined : longest(live.filter(isUsable));
  if (certified !== undefined) {
    const byEpochs = wish.targetEpoch - certified.endEpoch;
    return byEpochs <= 0
      ? { kind: 'certified-object', existing: certified }
      : { kind: 'extend', existing: certified, byEpochs };
  }
  const registered = longest(uncertified.filter(isUsable));
  if (registered !== undefined) {
    const byEpochs = Math.max(0, wish.targetEpoch - registered.endEpoch);
    return { kind: 'resume', existing: registered, byEpochs };
  }
  const storage = bestFit(spare, wish);
  return storage === undefined ? { kind: 'register' } : { kind: 'reuse-storage', storage };
}
