import type { LiveObject } from '../registry/blob-registry.ts';

/** What a store of known bytes needs to do, given the live objects of that blob. */
export type StoreDecision =
  | { kind: 'register' }
  | { kind: 'certified-event'; existing: LiveObject }
  | { kind: 'certified-object'; existing: LiveObject }
  | { kind: 'extend'; existing: LiveObject; byEpochs: number };

export interface StoreWish {
  /** First epoch in which the blob may be gone */
  targetEpoch: number;
  permanent: boolean;
  force: boolean;
  reuseResources: boolean;
}

function longest(objects: LiveObject[]): LiveObject | undefined {
  const endOf = ({ object }: LiveObject) => object.storage.endEpoch;
  return objects.toSorted((a, b) => endOf(b) - endOf(a))[0];
}

/**
 * The real publisher's rules: a permanent blob of sufficient life is enough for anyone, a deletable one never is
 * (its owner may delete it); with `reuse_resources` the publisher's own object of the same persistence is used,
 * prolonged where it is too short; `force` looks at nothing. Objects without a certificate and spare storage,
 * which upstream may reuse too, do not come up here: registering and certifying is one step.
 */
export function decideStore(live: LiveObject[], wish: StoreWish): StoreDecision {
  if (wish.force) return { kind: 'register' };
  const permanent = longest(live.filter(({ object }) => !object.deletable));
  if (wish.permanent && permanent !== undefined && permanent.object.storage.endEpoch >= wish.targetEpoch) {
    return { kind: 'certified-event', existing: permanent };
  }
  if (!wish.reuseResources) return { kind: 'register' };
  const own = longest(live.filter(({ owned, object }) => owned && object.deletable !== wish.permanent));
  if (own === undefined) return { kind: 'register' };
  const byEpochs = wish.targetEpoch - own.object.storage.endEpoch;
  return byEpochs <= 0
    ? { kind: 'certified-object', existing: own }
    : { kind: 'extend', existing: own, byEpochs };
}
