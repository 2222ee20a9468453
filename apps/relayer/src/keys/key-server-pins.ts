import type { KeyServersResponse } from '@memrelay/protocol/sidecar-api';
import { ConfigError } from '../base/config/config-error.ts';
import type { Db } from '../base/db/db.ts';

/**
 * Key servers are pinned by id and public key when they are first seen: one whose key changed is another server, and
 * what it is asked to keep would be readable by someone new. Throws `ConfigError` with the way out.
 */
export async function pinKeyServers(
  db: Db,
  packageId: string,
  servers: KeyServersResponse['servers'],
): Promise<void> {
  for (const server of servers) {
    await db.query(
      'INSERT INTO key_server_pin (package_id, object_id, public_key) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
      [packageId, server.objectId, server.publicKey],
    );
    const { rows } = await db.query<{ public_key: string }>(
      'SELECT public_key FROM key_server_pin WHERE package_id = $1 AND object_id = $2',
      [packageId, server.objectId],
    );
    if (rows[0]?.public_key !== server.publicKey)
      throw new ConfigError([
        `key server ${server.objectId} has another public key than when this database first saw it. If its operator confirms the change, delete its row from key_server_pin; memories wrapped for the old key stay unreadable without it`,
      ]);
  }
}
