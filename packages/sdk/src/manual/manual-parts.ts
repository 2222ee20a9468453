import type { WrapExpectation } from '@memrelay/envelope/check-wrap';
import type { Primitives } from '@memrelay/envelope/primitives';
import { type Wrap, wrapType } from '@memrelay/envelope/wraps';
import type { PublicConfig } from '@memrelay/protocol/service-info';
import { fromHex } from '@mysten/sui/utils';
import { readKeys } from '../keys.ts';
import { fromBase64 } from '../wire/base64.ts';
import type { SessionSource } from '../wire/enc-session.ts';
import { MemRelayError } from '../wire/errors.ts';
import { type Connection, callRelayer } from '../wire/request.ts';
import { type AccountSource, createAccountSource } from './account-state.ts';
import type { EmbeddingEndpoint, EmbeddingOptions } from './embedding-endpoint.ts';
import { type ManualNetwork, manualNetwork } from './manual-network.ts';
import type { ManualOptions } from './manual-types.ts';
import { createNamespaceKeys, type NamespaceKeys } from './namespace-keys.ts';
import { type BlobReader, createBlobReader } from './read-blob.ts';
import { createSealClients } from './seal-clients.ts';
import { createKeyUnwrapper, type KeyUnwrapper } from './unwrap-keys.ts';

/** What the calls of one client share, once it knows its network. */
export interface ManualParts {
  network: ManualNetwork;
  account: AccountSource;
  keys: NamespaceKeys;
  unwrapper: KeyUnwrapper;
  blobs: BlobReader;
  expected: WrapExpectation;
  /** Wraps that the relayer keeps for key servers that came later, by recipient key */
  laterWraps(signal: AbortSignal | undefined): Promise<Map<string, Wrap[]>>;
}

/** Asks the relayer for its network, checks it against what is pinned, and builds the rest. Throws as `manualNetwork`. */
export async function connectManual(
  connection: Connection,
  options: ManualOptions,
  p: Primitives,
  sessions: SessionSource,
): Promise<ManualParts> {
  const call = { method: 'GET', path: '/config', unsigned: true } as const;
  const { value: config } = await callRelayer<PublicConfig>(connection, call);
  const packageId = options.packageId.toLowerCase();
  const network = manualNetwork(config, packageId, options.network ?? {}, connection.fetch);
  const clients = createSealClients(network);
  const expected: WrapExpectation = {
    packageId: fromHex(packageId),
    serverSets: network.readable.map(({ servers, threshold }) => ({
      servers: servers.map(({ objectId, weight }) => ({ objectId: fromHex(objectId), weight })),
      threshold,
    })),
  };
  return {
    network,
    account: createAccountSource(network, connection.accountId),
    keys: createNamespaceKeys(p, network, clients, expected),
    unwrapper: createKeyUnwrapper(p, network, clients, sessions),
    blobs: createBlobReader({
      network,
      primitives: p,
      checkBlobIds: options.checkBlobIds ?? false,
      timeoutMs: connection.policy.timeoutMs,
    }),
    expected,
    async laterWraps(signal) {
      const wraps = new Map<string, Wrap[]>();
      for (const key of await readKeys(connection, { signal })) {
        const own = wraps.get(key.recipientPk) ?? [];
        own.push(...key.wraps.map(({ type, bytes }) => ({ type, bytes: fromBase64(bytes) })));
        wraps.set(
          key.recipientPk,
          own.filter(({ type }) => type === wrapType.seal),
        );
      }
      return wraps;
    },
  };
}

/** What the relayer calls the embedder that needs no provider. */
const lexical = /^lexical-/;

/**
 * The dimension of vectors. Throws `embedding_mismatch` where the relayer embeds with another model of a provider: what
 * it has embedded would be invisible to this client, and the other way round, without anybody noticing.
 */
export function checkedDimension(
  { embedding }: Pick<ManualNetwork, 'embedding'>,
  endpoint: EmbeddingEndpoint,
  options: EmbeddingOptions,
): number {
  const { model, dimension } = embedding;
  if (model !== endpoint.model && !lexical.test(model) && !options.allowOtherModel)
    throw new MemRelayError(
      'embedding_mismatch',
      `The relayer embeds with ${model}, this client with ${endpoint.model}, and their vectors cannot be compared. Set embedding.model to ${model}, or embedding.allowOtherModel if what the relayer embeds need not be found.`,
    );
  if (options.dimension !== undefined && options.dimension !== dimension)
    throw new MemRelayError(
      'embedding_mismatch',
      `The relayer takes vectors of ${dimension} numbers, embedding.dimension is ${options.dimension}.`,
    );
  return dimension;
}
