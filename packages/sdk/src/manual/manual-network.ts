import { type ChainClient, createChainClient } from '@memrelay/chain/chain-client';
import { isLoopbackHost } from '@memrelay/protocol/loopback-host';
import { type Network, networkDefaults } from '@memrelay/protocol/networks';
import type { PublicConfig } from '@memrelay/protocol/service-info';
import type { KeyServerConfig } from '@mysten/seal';
import { pinnedPackage } from '../options.ts';
import { MemRelayError, NetworkError } from '../wire/errors.ts';
import { isPrivateHost } from './private-host.ts';

/** A key server that the caller trusts. */
export interface PinnedKeyServer extends KeyServerConfig {
  /** The public key that must be on chain, hex; if omitted, the first one seen is pinned */
  publicKey?: string | undefined;
}

/** Key servers and their threshold weight. */
export interface KeyServerSet {
  servers: readonly PinnedKeyServer[];
  threshold: number;
}

/** What the caller knows about the network; omitted fields default to the public networks. */
export interface ManualNetworkOptions {
  /** A relayer with a different network is rejected */
  name?: Network | undefined;
  /** gRPC-web address of a full node */
  chainRpcUrl?: string | undefined;
  /** The key servers for new keys; a relayer with different ones is rejected */
  keyServers?: KeyServerSet | undefined;
  /** Historical sets, whose memories can still be read */
  historicalKeyServers?: readonly KeyServerSet[] | undefined;
  /** In order of preference; defaults to the relayer's */
  aggregatorUrls?: readonly string[] | undefined;
  /** Number of shards of the store; blob ids depend on it */
  nShards?: number | undefined;
}

/** The network of a client in manual mode, with everything pinned that a relayer could lie about. */
export interface ManualNetwork {
  packageId: string;
  chain: ChainClient;
  keyServers: KeyServerSet;
  /** The current and the historical sets */
  readable: readonly KeyServerSet[];
  aggregatorUrls: readonly URL[];
  /** `fetch` that follows no redirects and calls no private addresses except those of the local network */
  guardedFetch: typeof fetch;
  embedding: PublicConfig['embedding'];
  nShards(): Promise<number>;
}

/**
 * Combines what the caller pins, the known public networks and what the relayer reports. The relayer alone is trusted only
 * for a local network on this machine: it could read keys wrapped for key servers of its choice. Throws `package_mismatch`, `network_mismatch`, `network_not_pinned`, `key_server_mismatch`, `invalid_argument`.
 */
export function manualNetwork(
  config: PublicConfig,
  packageId: string,
  options: ManualNetworkOptions,
  fetch: typeof globalThis.fetch,
): ManualNetwork {
  pinnedPackage(packageId, config);
  const name = options.name ?? knownNetwork(config.network);
  if (config.network !== name)
    throw new MemRelayError(
      'network_mismatch',
      `The relayer uses the network ${config.network}, but this client uses ${name}. Check serverUrl and network.name.`,
    );
  const isLocal = name === 'localnet';
  const defaults = networkDefaults[name];
  const chainRpcUrl =
    options.chainRpcUrl ?? (isLocal ? requireLoopback(config.suiRpcUrl) : defaults.chainRpcUrl);
  const keyServers =
    options.keyServers ?? (isLocal ? reportedServers(config, options) : independent(defaults.keyServers));
  if (setName(keyServers) !== setName({ servers: config.encServerConfigs, threshold: config.encThreshold }))
    throw new MemRelayError(
      'key_server_mismatch',
      'The relayer reports different key servers than the ones this client is pinned to. If the operator has really changed them, pass the new ones as network.keyServers and the old ones in network.historicalKeyServers.',
    );
  const trusted = new Set(
    [keyServers, ...(options.historicalKeyServers ?? [])].flatMap(({ servers }) =>
      servers.flatMap(({ aggregatorUrl }) => (aggregatorUrl ? [parseUrl(aggregatorUrl).origin] : [])),
    ),
  );
  const aggregatorUrls = (options.aggregatorUrls ?? [config.aggregatorUrl]).map(parseUrl);
  if (options.aggregatorUrls) for (const { origin } of aggregatorUrls) trusted.add(origin);
  let nShards: Promise<number> | undefined;
  return {
    packageId,
    chain: createChainClient({ network: name, baseUrl: chainRpcUrl, fetch }),
    keyServers,
    readable: [keyServers, ...(options.historicalKeyServers ?? [])],
    aggregatorUrls,
    guardedFetch: guarded(
      fetch,
      ({ origin, hostname }) => isLocal || trusted.has(origin) || !isPrivateHost(hostname),
    ),
    embedding: config.embedding,
    nShards() {
      nShards ??= shardsOf(options.nShards ?? defaults.nShards, chainRpcUrl, fetch);
      nShards.catch(() => {
        nShards = undefined;
      });
      return nShards;
    },
  };
}

function knownNetwork(name: string): Network {
  if (Object.hasOwn(networkDefaults, name)) return name as Network;
  throw new MemRelayError(
    'network_mismatch',
    `The relayer reports an unknown network ${JSON.stringify(name)}.`,
  );
}

/** A local chain is trusted only on this machine. */
function requireLoopback(url: string): string {
  if (isLoopbackHost(parseUrl(url).hostname)) return url;
  throw notPinned(`its chain is ${url}`);
}

function reportedServers(config: PublicConfig, options: ManualNetworkOptions): KeyServerSet {
  if (!isLoopbackHost(parseUrl(options.chainRpcUrl ?? config.suiRpcUrl).hostname))
    throw notPinned('its key servers belong to no known network');
  return { servers: config.encServerConfigs, threshold: config.encThreshold };
}

function notPinned(what: string): MemRelayError {
  return new MemRelayError(
    'network_not_pinned',
    `The relayer reports a local network that is not on this machine: ${what}. Pass network.chainRpcUrl and network.keyServers if you know them to be correct.`,
  );
}

function independent(objectIds: readonly string[]): KeyServerSet {
  return {
    servers: objectIds.map((objectId) => ({ objectId, weight: 1 })),
    threshold: Math.min(2, objectIds.length),
  };
}

/** Equal for equal servers, weights and threshold. */
function setName({ servers, threshold }: KeyServerSet): string {
  return [
    threshold,
    ...servers.map(({ objectId, weight }) => `${objectId.toLowerCase()} ${weight}`).sort(),
  ].join('\n');
}

function parseUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed && /^https?:$/.test(parsed.protocol)) return parsed;
  throw new MemRelayError('invalid_argument', `${JSON.stringify(url)} is not an http or https URL.`);
}

function guarded(send: typeof fetch, allows: (url: URL) => boolean): typeof fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (!allows(url))
      throw new NetworkError('network_error', `${url.host} is a private address and is not called.`, {
        retryable: false,
      });
    return send(url.href, { ...init, redirect: 'error', credentials: 'omit' });
  };
}

/** The localnet reports its own objects. */
async function shardsOf(known: number | undefined, chainRpcUrl: string, send: typeof fetch): Promise<number> {
  if (known !== undefined) return known;
  try {
    const response = await send(`${chainRpcUrl}/info`, {
      redirect: 'error',
      signal: AbortSignal.timeout(10_000),
    });
    const { walrus } = (await response.json()) as { walrus?: { nShards?: unknown } };
    if (Number.isInteger(walrus?.nShards)) return walrus!.nShards as number;
  } catch (cause) {
    throw new NetworkError('network_error', `${chainRpcUrl} cannot be reached.`, { cause });
  }
  throw new MemRelayError(
    'invalid_argument',
    'The number of shards of the store is not known: pass network.nShards.',
  );
}
