import type { KeyServersResponse } from '@memrelay/protocol/sidecar-api';
import { ConfigError } from '../base/config/config-error.ts';
import type { Db } from '../base/db/db.ts';
import { pinPublicKey } from './rows/key-server-rows.ts';

/**
 * Pins key servers by id and public key when they are first seen: one whose key changed is a different server, and
 * someone new could read what is wrapped for it. Throws `ConfigError`, which says what the operator can do.
 */
export async function pinKeyServers(
  db: Db,
  packageId: string,
  servers: KeyServersResponse['servers'],
): Promise<void> {
  for (const server of servers) {
    const pinned = await pinPublicKey(db, packageId, server);
    if (pinned !== server.publicKey)
      throw new ConfigError([
        `key server ${server.objectId} has another public key than when this database first saw it. If its operator confirms the change, delete its row from key_server_pin; memories wrapped for the old key stay unreadable without it`,
      ]);
  }
}
