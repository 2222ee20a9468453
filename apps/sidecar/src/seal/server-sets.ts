import type { WrapExpectation } from '@memrelay/envelope/check-wrap';
import { keyServerSetId, keyServerSetOf } from '@memrelay/protocol/server-set-id-node';
import type { KeyServerConfig } from '@mysten/seal';
import { fromHex, isValidSuiObjectId, normalizeSuiObjectId } from '@mysten/sui/utils';

/** Key servers that a key is wrapped for, and the weight that must agree to unwrap it. */
export interface ServerSet {
  /** 64 hex digits over object ids, weights and threshold; stands as `server_set` beside every wrapped key */
  readonly id: string;
  readonly servers: readonly Readonly<KeyServerConfig>[];
  readonly threshold: number;
}

export interface ServerSets {
  /** New keys are wrapped for this one */
  readonly current: ServerSet;
  /** The current and all historical sets: those whose wraps can be opened */
  readonly all: readonly ServerSet[];
}

/** Seal counts shares in one byte and keeps 255 for itself. */
const maxWeight = 254;

/**
 * Checks a configuration and gives it its id. Addresses and API keys are no part of the id: they may change
 * without making a wrap unreadable. Throws `RangeError` that says what is wrong.
 */
export function makeServerSet(config: { servers: readonly KeyServerConfig[]; threshold: number }): ServerSet {
  const servers = config.servers.map((server) => ({ ...server, objectId: checkedObjectId(server) }));
  if (servers.length === 0) throw new RangeError('a key server set needs at least one server');
  if (new Set(servers.map((server) => server.objectId)).size !== servers.length) {
    throw new RangeError('a key server is named twice in a set');
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

/** The set that new keys use, with those of the past whose wraps must stay readable. */
export function makeServerSets(current: ServerSet, historical: readonly ServerSet[] = []): ServerSets {
  const byId = new Map([...historical, current].map((set) => [set.id, set]));
  return { current, all: [...byId.values()] };
}

/**
 * The set that a wrap was made for: exactly its servers, each as often as its weight, with its threshold.
 * A wrap for any other mix could be one that a writer made for key servers of their own.
 */
export function findServerSet(
  sets: ServerSets,
  services: readonly string[],
  threshold: number,
): ServerSet | undefined {
  const id = keyServerSetOf(services, threshold);
  return sets.all.find((set) => set.id === id);
}

/** Which wraps may be opened: the ones for our package and a configured set of key servers. */
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
  const normalized = normalizeSuiObjectId(objectId);
  if (!isValidSuiObjectId(normalized)) throw new RangeError(`${objectId} is not an object id`);
  return normalized;
}
