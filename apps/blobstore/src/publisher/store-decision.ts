import type { CertifiedObject } from '../registry/blob-registry.ts';

/** What a store of known bytes needs to do, given the live objects of that blob. */
export type StoreDecision =
  | { kind: 'register' }
  | { kind: 'certified-event'; existing: CertifiedObject }
  | { kind: 'certified-object'; existing: CertifiedObject }
  | { kind: 'extend'; existing: CertifiedObject; byEpochs: number };

export interface StoreWish {
  /** First epoch in which the blob may be gone */
  targetEpoch: number;
  permanent: boolean;
  reuseResources: boolean;
}

function longest(objects: CertifiedObject[]): CertifiedObject | undefined {
  return objects.toSorted((a, b) => b.endEpoch - a.endEpoch)[0];
}

/**
 * The real publisher's rules: a permanent blob of sufficient life is enough for anyone, a deletable one never is
 * (its owner may delete it); with `reuse_resources` the publisher's own object of the same persistence is used,
 * prolonged where it is too short. Objects without a certificate and spare storage, which upstream may reuse too,
 * do not come up here: registering and certifying is one step.
 */
export function decideStore(live: CertifiedObject[], wish: StoreWish): StoreDecision {
  const permanent = longest(live.filter(({ deletable }) => !deletable));
  if (wish.permanent && permanent !== undefined && permanent.endEpoch >= wish.targetEpoch) {
    return { kind: 'certified-event', existing: permanent };
  }
  if (!wish.reuseResources) return { kind: 'register' };
  const own = longest(live.filter(({ owned, deletable }) => owned && deletable !== wish.permanent));
  if (own === undefined) return { kind: 'register' };
  const byEpochs = wish.targetEpoch - own.endEpoch;
  return byEpochs <= 0
    ? { kind: 'certified-object', existing: own }
    : { kind: 'extend', existing: own, byEpochs };
}
