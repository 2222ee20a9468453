import type { KeyServersResponse } from '@memrelay/protocol/sidecar-api';
import { ConfigError } from '../base/config/config-error.ts';
import type { Db } from '../base/db/db.ts';
import { pinPublicKey } from './rows/key-server-rows.ts';

/**
 * Pins key servers by id and public key when they are first seen. If a public key changes, it is a different server,
 * whose operator could read what is wrapped for it. Throws `ConfigError` with the next step for the operator.
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
        `key server ${server.objectId} has a different public key than when this database first recorded it. If its operator confirms the change, delete its row from key_server_pin; memories wrapped for the old key stay unreadable without it`,
      ]);
  }
}
