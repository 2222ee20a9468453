import { toHex } from '@memrelay/protocol/bytes';
import { SealClient } from '@mysten/seal';
import { MemRelayError } from '../wire/errors.ts';
import type { KeyServerSet, ManualNetwork } from './manual-network.ts';

const requestTimeoutMs = 10_000;

/** Creates Seal clients for sets of key servers, and pins the servers' public keys. */
export interface SealClients {
  /** Throws `key_server_mismatch` if a public key on chain differs from the pinned or known one, and Seal's errors. */
  clientOf(set: KeyServerSet): Promise<SealClient>;
}

export function createSealClients({
  chain,
  guardedFetch,
}: Pick<ManualNetwork, 'chain' | 'guardedFetch'>): SealClients {
  const seen = new Map<string, string>();
  return {
    async clientOf(set) {
      const client = new SealClient({
        suiClient: chain.sui,
        serverConfigs: set.servers.map(({ publicKey: _, ...server }) => server),
        timeout: requestTimeoutMs,
        fetch: guardedFetch,
      });
      const pinned = new Map(set.servers.map(({ objectId, publicKey }) => [objectId, publicKey]));
      for (const [objectId, { pk }] of await client.getKeyServers()) {
        const publicKey = toHex(pk);
        const expected = pinned.get(objectId)?.replace(/^0x/i, '').toLowerCase() ?? seen.get(objectId);
        if (expected !== undefined && expected !== publicKey)
          throw new MemRelayError(
            'key_server_mismatch',
            `On chain the key server ${objectId} has a different public key than this client is pinned to. Someone else could read keys wrapped for it, so nothing was sealed or opened.`,
          );
        seen.set(objectId, publicKey);
      }
      return client;
    },
  };
}
