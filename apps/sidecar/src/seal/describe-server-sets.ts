import type { KeyServersResponse } from '@memrelay/protocol/sidecar-api';
import type { Logger } from 'pino';
import { KeyServerChanged, type KeyServerDirectory } from './key-server-directory.ts';
import type { ServerSet, ServerSets } from './server-sets.ts';

/**
 * The sets with their public keys from the chain. A historical set that cannot be read has no servers: its memories cannot
 * be read at the moment, but that must not stop the sidecar. Throws what `KeyServerDirectory.pins` throws for the current
 * set, and `KeyServerChanged` for any set.
 */
export async function describeServerSets(
  directory: KeyServerDirectory,
  { current, all }: ServerSets,
  log: Logger,
): Promise<KeyServersResponse> {
  const past = all.filter((set) => set !== current);
  const [servers, historical] = await Promise.all([
    directory.pins(current),
    Promise.all(past.map((set) => describePast(directory, set, log))),
  ]);
  return { current: current.id, threshold: current.threshold, servers, historical };
}

async function describePast(
  directory: KeyServerDirectory,
  set: ServerSet,
  log: Logger,
): Promise<KeyServersResponse['historical'][number]> {
  try {
    return { id: set.id, servers: await directory.pins(set) };
  } catch (error) {
    if (error instanceof KeyServerChanged) throw error;
    const objectIds = set.servers.map(({ objectId }) => objectId);
    log.warn({ err: error, key_servers: objectIds }, 'key servers of ENC_HISTORICAL_SETS cannot be read');
    return { id: set.id };
  }
}
