import type { WrapExpectation } from '@memrelay/envelope/check-wrap';
import { canonicalAddressPattern, normalizeAddress } from '@memrelay/protocol/address';
import { fromHex } from '@memrelay/protocol/bytes';
import { keyServerSetId, keyServerSetOf } from '@memrelay/protocol/server-set-id-node';
import type { KeyServerConfig } from '@mysten/seal';

/** The key servers that a key is wrapped for, and the weight needed to unwrap it. */
export interface ServerSet {
  /** 64 hex digits over object ids, weights and threshold; stored as `server_set` with every wrapped key */
  readonly id: string;
  readonly servers: readonly Readonly<KeyServerConfig>[];
  readonly threshold: number;
}

export interface ServerSets {
  /** The set for new keys */
  readonly current: ServerSet;
  /** The current and all historical sets, whose wraps can be opened */
  readonly all: readonly ServerSet[];
}

/** Seal counts shares in one byte and reserves 255. */
const maxWeight = 254;

/**
 * Checks a configuration and computes its id. Addresses and API keys are not part of the id, so that they may change without
 * making wraps unreadable. Throws a `RangeError` with the problem.
 */
export function makeServerSet(config: { servers: readonly KeyServerConfig[]; threshold: number }): ServerSet {
  const servers = config.servers.map((server) => ({ ...server, objectId: checkedObjectId(server) }));
  if (servers.length === 0) throw new RangeError('a key server set needs at least one server');
  if (new Set(servers.map((server) => server.objectId)).size !== servers.length) {
    throw new RangeError('a key server appears twice in a set');
  }
  for (const { objectId, weight, apiKey, apiKeyName } of servers) {
    if (!Number.isInteger(weight) || weight < 1)
      throw new RangeError(`weight of ${objectId} must be 1 or more`);
    if (!apiKey !== !apiKeyName)
      throw new RangeError(`${objectId} needs both apiKeyName and apiKey, or neither`);
  }
  const total = servers.reduce((sum, server) => sum + server.weight, 0);
  const { threshold } = config;
  if (total > maxWeight) throw new RangeError(`the weights add up to more than ${maxWeight}`);
  if (!Number.isInteger(threshold) || threshold < 1 || threshold > total) {
    throw new RangeError(`the threshold must be 1 to ${total}, the sum of the weights`);
  }
  return { id: keyServerSetId(servers, threshold), servers, threshold };
}

/** The set for new keys, together with the historical ones, whose wraps must stay readable. */
export function makeServerSets(current: ServerSet, historical: readonly ServerSet[] = []): ServerSets {
  const byId = new Map([...historical, current].map((set) => [set.id, set]));
  return { current, all: [...byId.values()] };
}

/**
 * The set that a wrap was created for: exactly these servers, each repeated by its weight, and this threshold. A wrap for any
 * other combination could have been created by a writer for their own key servers.
 */
export function findServerSet(
  sets: ServerSets,
  services: readonly string[],
  threshold: number,
): ServerSet | undefined {
  const id = keyServerSetOf(services, threshold);
  return sets.all.find((set) => set.id === id);
}

/** The wraps that may be opened: those for our package and a configured set of key servers. */
export function wrapExpectation(packageId: string, sets: ServerSets): WrapExpectation {
  return {
    packageId: fromHex(packageId),
    serverSets: sets.all.map(({ servers, threshold }) => ({
      servers: servers.map(({ objectId, weight }) => ({ objectId: fromHex(objectId), weight })),
      threshold,
    })),
  };
}

function checkedObjectId({ objectId }: KeyServerConfig): string {
  const normalized = normalizeAddress(objectId);
  if (!canonicalAddressPattern.test(normalized)) throw new RangeError(`${objectId} is not an object id`);
  return normalized;
}
