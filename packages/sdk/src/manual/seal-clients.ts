import { SealClient } from '@mysten/seal';
import { toHex } from '@mysten/sui/utils';
import { MemRelayError } from '../wire/errors.ts';
import type { KeyServerSet, ManualNetwork } from './manual-network.ts';

const requestTimeoutMs = 10_000;

/** Makes clients of Seal for sets of key servers, and holds the servers to the public keys they once had. */
export interface SealClients {
  /** Throws `key_server_mismatch` where the chain shows another public key than was pinned or seen, and Seal's errors. */
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
            `The chain shows another public key for the key server ${objectId} than this client is pinned to. Keys wrapped for it could be read by somebody else: nothing was sealed or opened.`,
          );
        seen.set(objectId, publicKey);
      }
      return client;
    },
  };
}
