import type { LocalnetInfo } from '@memrelay/protocol/localnet-info';
import type { FastifyPluginAsync } from 'fastify';
import type { GenesisField, GenesisObject, PolicyChain } from '../chain/policy.ts';
import { type Committee, createCommittee } from './committee.ts';
import { deriveMasterKey, masterPublicKey } from './master-key.ts';
import { keyServerObjectId, registration } from './registration.ts';
import { independentServer, sealRoutes } from './routes.ts';

/** Address that this network reports for Seal's Move package ("5ea1" reads seal). */
export const sealPackageId = `0x${'5ea1'.padStart(64, '0')}`;

export interface KeyServerOptions {
  /** 32 secret bytes; anyone who has them can read everything on this network */
  seed: Uint8Array;
  policy: PolicyChain;
  /** Independent servers. Default 2 */
  count?: number;
  /** Milliseconds since 1970; for tests of time limits */
  now?: () => number;
}

export interface KeyServers {
  /** Number of servers that must return a key: all of them */
  readonly threshold: number;
  readonly servers: readonly { readonly objectId: string; readonly publicKey: Uint8Array }[];
  /** Additional committee, for clients that are configured to use it */
  readonly committee: Committee;
  /** Mounts server N at `/key/N`, and the committee */
  readonly plugin: FastifyPluginAsync;
  /**
   * The on-chain objects of the servers, given the address (without a trailing slash) at which `plugin`
   * is reachable. Ids do not depend on it, so after a change of port only the fields have to be written again.
   */
  genesis(baseUrl: string): { objects: GenesisObject[]; fields: GenesisField[] };
  /** The `keyServers` entry of `/info` */
  info(baseUrl: string): LocalnetInfo['keyServers'];
}

/**
 * Creates Seal key servers for the localnet, all in one process. Like real ones they return keys only if the
 * chain's policy allows it, but trust is not distributed among them. Throws `RangeError` for a seed that is not 32
 * bytes.
 */
export function createKeyServers(options: KeyServerOptions): KeyServers {
  const { seed, policy, count = 2, now = Date.now } = options;
  const servers = Array.from({ length: count }, (_, index) => {
    const masterKey = deriveMasterKey(seed, index);
    const publicKey = masterPublicKey(masterKey);
    const objectId = keyServerObjectId(publicKey);
    return { masterKey, publicKey, objectId, name: `localnet key server ${index}`, path: `/key/${index}` };
  });
  const committee = createCommittee({ seed, policy, now });

  return {
    threshold: count,
    servers: servers.map(({ objectId, publicKey }) => ({ objectId, publicKey })),
    committee,
    plugin: async (app) => {
      for (const { masterKey, objectId, path } of servers) {
        const endpoint = independentServer({ masterKey, objectId, policy, now });
        await app.register(sealRoutes(endpoint), { prefix: path });
      }
      await app.register(committee.plugin);
    },
    genesis: (baseUrl) => {
      const entries = servers.map(({ objectId, name, publicKey, path }) =>
        registration({
          objectId,
          name,
          publicKey,
          sealPackageId,
          serverType: { Independent: { url: baseUrl + path } },
        }),
      );
      entries.push(committee.genesis(baseUrl, sealPackageId));
      return { objects: entries.map((entry) => entry.object), fields: entries.map((entry) => entry.field) };
    },
    info: (baseUrl) => servers.map(({ objectId, path }) => ({ objectId, weight: 1, url: baseUrl + path })),
  };
}
