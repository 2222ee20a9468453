import type { WrapExpectation } from '@memrelay/envelope/check-wrap';
import type { Primitives } from '@memrelay/envelope/primitives';
import { type Wrap, wrapType } from '@memrelay/envelope/wraps';
import { fromHex } from '@memrelay/protocol/bytes';
import type { PublicConfig } from '@memrelay/protocol/service-info';
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

/** The state shared by the calls of one client, once its network is known. */
export interface ManualParts {
  network: ManualNetwork;
  account: AccountSource;
  keys: NamespaceKeys;
  unwrapper: KeyUnwrapper;
  blobs: BlobReader;
  expected: WrapExpectation;
  /** Additional wraps from the relayer, by recipient key, for key servers that were configured later */
  laterWraps(signal: AbortSignal | undefined): Promise<Map<string, Wrap[]>>;
}

/** Reads the relayer's network, checks it against the pinned values, and builds the parts. Throws like `manualNetwork`. */
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

/** The relayer's name for the embedder that needs no provider. */
const lexical = /^lexical-/;

/**
 * The dimension of vectors. Throws `embedding_mismatch` if the relayer embeds with a different model, because then neither
 * would find the memories that the other has embedded.
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
      `The relayer embeds with ${model}, this client with ${endpoint.model}, and their vectors cannot be compared. Set embedding.model to ${model}, or embedding.allowOtherModel if memories embedded by the relayer need not be found.`,
    );
  if (options.dimension !== undefined && options.dimension !== dimension)
    throw new MemRelayError(
      'embedding_mismatch',
      `The relayer expects vectors of ${dimension} numbers, but embedding.dimension is ${options.dimension}.`,
    );
  return dimension;
}
