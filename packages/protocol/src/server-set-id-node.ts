import { createHash } from 'node:crypto';

/**
 * Id of a set of key servers: 64 hex digits, independent of the order of the servers. `objectId` is 0x and 64 lower-case
 * hex digits. Stored as `server_set` with every wrapped key.
 */
export function keyServerSetId(
  servers: readonly { objectId: string; weight: number }[],
  threshold: number,
): string {
  const lines = servers.map(({ objectId, weight }) => `${objectId} ${weight}`).sort();
  return createHash('sha256')
    .update(['memrelay-server-set-v1', threshold, ...lines].join('\n'))
    .digest('hex');
}

/** The id of the set that a wrap was made for. `services` lists each server as often as its weight. */
export function keyServerSetOf(services: readonly string[], threshold: number): string {
  const weights = new Map<string, number>();
  for (const objectId of services) weights.set(objectId, (weights.get(objectId) ?? 0) + 1);
  return keyServerSetId(
    [...weights].map(([objectId, weight]) => ({ objectId, weight })),
    threshold,
  );
}
