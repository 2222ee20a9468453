import type { LocalnetInfo } from '@memrelay/protocol/localnet-info';
import type { FastifyPluginAsync } from 'fastify';
import type { GenesisField, GenesisObject, PolicyChain } from '../chain/policy.ts';
import { type ApiKey, aggregator } from './aggregator.ts';
import { fetchKey } from './fetch-key.ts';
import { KeyServerError } from './key-server-error.ts';
import { deriveMasterKey, masterPublicKey } from './master-key.ts';
import { keyServerObjectId, registration } from './registration.ts';
import { sealRoutes } from './routes.ts';
import { shareKey } from './secret-shares.ts';

const path = '/committee';
const name = 'localnet committee';
const threshold = 3;
const memberCount = 5;
/** Index of the committee's first key among the keys of a seed; independent servers use the indices from 0. */
const firstKeyIndex = 2 ** 32;

export interface Committee {
  readonly objectId: string;
  readonly publicKey: Uint8Array;
  /** Mounts the aggregator at `/committee` and its members at `/committee/members/N` */
  readonly plugin: FastifyPluginAsync;
  /** Makes exactly these members, by party id, behave as if they were stopped. */
  setDown(partyIds: readonly number[]): void;
  /** Makes the aggregator reject requests without this header; `undefined` accepts all again. */
  requireApiKey(apiKey: ApiKey | undefined): void;
  genesis(baseUrl: string, sealPackageId: string): { object: GenesisObject; field: GenesisField };
  info(baseUrl: string): LocalnetInfo['committee'];
}

/**
 * Creates a 3-of-5 committee behind its aggregator: five servers with shares of one master key. A real committee
 * generates its shares together, so that the key never exists in one place. Here the shares are derived from the
 * network's seed, because all members are in one process.
 */
export function createCommittee(options: {
  seed: Uint8Array;
  policy: PolicyChain;
  now: () => number;
}): Committee {
  const { seed, policy, now } = options;
  const coefficients = Array.from({ length: threshold }, (_, k) => deriveMasterKey(seed, firstKeyIndex + k));
  const publicKey = masterPublicKey(coefficients[0]!);
  const objectId = keyServerObjectId(publicKey);
  const members = shareKey(coefficients, memberCount).map((share, partyId) => ({
    partyId,
    share,
    publicKey: masterPublicKey(share),
    path: `${path}/members/${partyId}`,
    name: `${name}, member ${partyId}`,
  }));
  const state = { down: new Set<number>(), apiKey: undefined as ApiKey | undefined };
  const placed = (baseUrl: string) => members.map((member) => ({ ...member, url: baseUrl + member.path }));

  return {
    objectId,
    publicKey,
    plugin: async (app) => {
      for (const { partyId, share, path: prefix } of members) {
        const endpoint = {
          service: () => {
            throw new KeyServerError('InvalidServiceId', 'Invalid service ID');
          },
          async fetchKey({ body }: { body: unknown }) {
            if (state.down.has(partyId)) throw new KeyServerError('Failure', 'this member is stopped');
            return fetchKey(body, { masterKey: share, policy, now });
          },
        };
        await app.register(sealRoutes(endpoint), { prefix });
      }
      const parts = { app, policy, threshold, members, apiKey: () => state.apiKey };
      await app.register(sealRoutes(aggregator(parts)), { prefix: path });
    },
    setDown: (partyIds) => {
      state.down = new Set(partyIds);
    },
    requireApiKey: (apiKey) => {
      state.apiKey = apiKey;
    },
    genesis: (baseUrl, sealPackageId) =>
      registration({
        objectId,
        name,
        publicKey,
        sealPackageId,
        serverType: { Committee: { version: 0, threshold, members: placed(baseUrl) } },
      }),
    info: (baseUrl) => ({
      objectId,
      weight: 1,
      aggregatorUrl: baseUrl + path,
      threshold,
      members: placed(baseUrl).map(({ partyId, url, publicKey: key }) => ({
        partyId,
        url,
        publicKey: Buffer.from(key).toString('hex'),
      })),
    }),
  };
}
