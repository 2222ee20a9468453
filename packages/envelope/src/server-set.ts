import { toHex } from '@memrelay/protocol/bytes';
import { concatBytes, requireLength, u32, utf8 } from './bytes.ts';
import type { Primitives } from './primitives.ts';
import type { SealObject } from './seal-object.ts';

/** Key servers with weights and a threshold. A wrap is made for one such set. */
export interface KeyServerSet {
  servers: readonly { objectId: Uint8Array; weight: number }[];
  threshold: number;
}

function weights(set: KeyServerSet): Map<string, number> {
  const byId = new Map<string, number>();
  for (const { objectId, weight } of set.servers) {
    requireLength(objectId, 32, 'key server object id');
    if (!Number.isInteger(weight) || weight < 1 || weight > 255)
      throw new RangeError('weight must be 1 to 255');
    if (byId.has(toHex(objectId))) throw new RangeError('a key server is listed twice in a set');
    byId.set(toHex(objectId), weight);
  }
  return byId;
}

/**
 * The id of a set: 64 hex digits, independent of the order of its servers. Used in `namespace_keys` and for pinning. Throws
 * `RangeError` on an impossible set.
 */
export function serverSetId(p: Primitives, set: KeyServerSet): string {
  const total = [...weights(set).values()].reduce((sum, weight) => sum + weight, 0);
  if (!Number.isInteger(set.threshold) || set.threshold < 1 || set.threshold > total)
    throw new RangeError('threshold must be 1 to the total weight');
  const servers = [...set.servers]
    .sort((a, b) => (toHex(a.objectId) < toHex(b.objectId) ? -1 : 1))
    .map(({ objectId, weight }) => concatBytes(objectId, u32(weight)));
  return toHex(p.sha256(utf8('memrelay-server-set-v1\n'), u32(set.threshold), ...servers));
}

/** True when the object's services are exactly this set, each as often as its weight, with its threshold. */
export function isMadeFor(object: SealObject, set: KeyServerSet): boolean {
  if (object.threshold !== set.threshold) return false;
  const left = weights(set);
  for (const { objectId } of object.services) {
    const id = toHex(objectId);
    left.set(id, (left.get(id) ?? 0) - 1);
  }
  return [...left.values()].every((weight) => weight === 0);
}

/** The set that an object is made for: its services, each as often as its weight, and its threshold. */
export function serverSetOf({ services, threshold }: SealObject): KeyServerSet {
  const byId = new Map<string, { objectId: Uint8Array; weight: number }>();
  for (const { objectId } of services) {
    const known = byId.get(toHex(objectId));
    byId.set(toHex(objectId), { objectId, weight: (known?.weight ?? 0) + 1 });
  }
  return { servers: [...byId.values()], threshold };
}
