import type { KeyServersResponse } from '@memrelay/protocol/sidecar-api';
import type { Logger } from 'pino';
import { ConfigError } from '../base/config/config-error.ts';
import type { Db } from '../base/db/db.ts';
import type { SidecarClient } from '../sidecar/sidecar-client.ts';
import { pinKeyServers } from './key-server-pins.ts';
import { unconfiguredSets } from './unconfigured-sets.ts';

/**
 * Reads the key servers that the sidecar uses. Throws `ConfigError` if the current ones cannot be read from the chain.
 */
export async function readKeyServers(
  sidecar: Pick<SidecarClient, 'keyServers'>,
): Promise<KeyServersResponse> {
  try {
    return await sidecar.keyServers();
  } catch {
    throw new ConfigError([
      'ENC_SERVER_CONFIGS: the key servers cannot be read from the chain; check that they, CHAIN_RPC_URL and MEM_PACKAGE_ID belong to CHAIN_NETWORK',
    ]);
  }
}

/**
 * Compares the key servers with their pins. Logs historical servers that cannot be read now, and servers that are not
 * configured although the database has keys wrapped for them. Throws `ConfigError` if a public key changed.
 */
export async function checkKeyServers(options: {
  keyServers: KeyServersResponse;
  db: Db;
  packageId: string;
  log: Logger;
}): Promise<void> {
  const { keyServers, db, packageId, log } = options;
  const { current, servers, historical } = keyServers;
  await pinKeyServers(db, packageId, servers);
  for (const set of historical) {
    if (set.servers) await pinKeyServers(db, packageId, set.servers);
    else
      log.warn(
        { server_set: set.id },
        'key servers in ENC_HISTORICAL_SETS cannot be read from the chain: keys that are wrapped for them cannot be opened',
      );
  }
  const others = await unconfiguredSets(db, { current, historical: historical.map(({ id }) => id) });
  for (const { id, namespaces, entry } of others)
    log.warn(
      { server_set: id, namespaces, ...(entry && { entry: JSON.stringify(entry) }) },
      `memories of ${namespaces} ${namespaces === 1 ? 'namespace' : 'namespaces'} are wrapped for key servers that are not configured and cannot be read; name them in ENC_HISTORICAL_SETS`,
    );
}
