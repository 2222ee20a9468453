import type { KeyServersResponse } from '@memrelay/protocol/sidecar-api';
import type { Logger } from 'pino';
import type { Db } from '../db/db.ts';
import type { SidecarClient } from '../sidecar/sidecar-client.ts';
import { pinKeyServers } from './key-server-pins.ts';
import { unconfiguredSets } from './unconfigured-sets.ts';

/**
 * The key servers that the sidecar uses, held to their pins; the log tells which of the past cannot be read now, and
 * for which others the database holds keys. Throws `ConfigError` for a public key that changed, and an error with the
 * variables to look at when the current servers cannot be read.
 */
export async function readKeyServers(options: {
  sidecar: Pick<SidecarClient, 'keyServers'>;
  db: Db;
  packageId: string;
  log: Logger;
}): Promise<KeyServersResponse> {
  const { sidecar, db, packageId, log } = options;
  const keyServers = await sidecar.keyServers().catch((cause: unknown) => {
    throw new Error(
      'the key servers cannot be read from the chain: see that CHAIN_RPC_URL answers, and that MEM_PACKAGE_ID and ENC_SERVER_CONFIGS are of CHAIN_NETWORK',
      { cause },
    );
  });
  const { current, servers, historical } = keyServers;
  await pinKeyServers(db, packageId, servers);
  for (const set of historical) {
    if (set.servers) await pinKeyServers(db, packageId, set.servers);
    else
      log.warn(
        { server_set: set.id },
        'key servers in ENC_HISTORICAL_SETS cannot be read from the chain: what is wrapped for them cannot be read',
      );
  }
  const others = await unconfiguredSets(db, { current, historical: historical.map(({ id }) => id) });
  for (const { id, namespaces, entry } of others)
    log.warn(
      { server_set: id, namespaces, ...(entry && { entry: JSON.stringify(entry) }) },
      `memories of ${namespaces} ${namespaces === 1 ? 'namespace' : 'namespaces'} are wrapped for key servers that are not configured and cannot be read; name them in ENC_HISTORICAL_SETS`,
    );
  return keyServers;
}
