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
  /** Its public key as the chain must show it, hex; without it the first one that is seen holds */
  publicKey?: string | undefined;
}

/** Key servers, and how much weight of them must agree. */
export interface KeyServerSet {
  servers: readonly PinnedKeyServer[];
  threshold: number;
}

/** What the caller knows of the network by itself; what is left out is that of the public networks. */
export interface ManualNetworkOptions {
  /** Refused where the relayer names another */
  name?: Network | undefined;
  /** gRPC-web address of a full node */
  chainRpcUrl?: string | undefined;
  /** What keys are wrapped for; refused where the relayer names others */
  keyServers?: KeyServerSet | undefined;
  /** Sets of the past, whose memories are to be read */
  historicalKeyServers?: readonly KeyServerSet[] | undefined;
  /** In this order; the relayer's when left out */
  aggregatorUrls?: readonly string[] | undefined;
  /** Shards of the store, which blob ids follow from */
  nShards?: number | undefined;
}

/** Where a client in manual mode works, with everything pinned that a relayer could lie about. */
export interface ManualNetwork {
  packageId: string;
  chain: ChainClient;
  keyServers: KeyServerSet;
  /** The current set and those of the past */
  readable: readonly KeyServerSet[];
  aggregatorUrls: readonly URL[];
  /** `fetch` that follows no redirect, and calls no private address but the local network's */
  guardedFetch: typeof fetch;
  embedding: PublicConfig['embedding'];
  nShards(): Promise<number>;
}

/**
 * Puts together what the caller pins, what is known of the public networks and what the relayer tells, whose word alone
 * is taken only for a local network on this machine: keys wrapped for servers of its choice would be keys that it can
 * read. Throws `package_mismatch`, `network_mismatch`, `network_not_pinned`, `key_server_mismatch`, `invalid_argument`.
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
      `The relayer works on ${config.network}, this client on ${name}. Check serverUrl and network.name.`,
    );
  const isLocal = name === 'localnet';
  const defaults = networkDefaults[name];
  const chainRpcUrl = options.chainRpcUrl ?? (isLocal ? ownMachine(config.suiRpcUrl) : defaults.chainRpcUrl);
  const keyServers =
    options.keyServers ?? (isLocal ? told(config, options) : independent(defaults.keyServers));
  if (setName(keyServers) !== setName({ servers: config.encServerConfigs, threshold: config.encThreshold }))
    throw new MemRelayError(
      'key_server_mismatch',
      'The relayer names other key servers than this client is pinned to. If the operator has really changed them, pass the new ones as network.keyServers and the old ones in network.historicalKeyServers.',
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
    `The relayer names a network ${JSON.stringify(name)} that is not known.`,
  );
}

/** A local chain is believed on this machine only. */
function ownMachine(url: string): string {
  if (isLoopbackHost(parseUrl(url).hostname)) return url;
  throw notPinned(`its chain is ${url}`);
}

function told(config: PublicConfig, options: ManualNetworkOptions): KeyServerSet {
  if (!isLoopbackHost(parseUrl(options.chainRpcUrl ?? config.suiRpcUrl).hostname))
    throw notPinned('its key servers are of no known network');
  return { servers: config.encServerConfigs, threshold: config.encThreshold };
}

function notPinned(what: string): MemRelayError {
  return new MemRelayError(
    'network_not_pinned',
    `The relayer names a local network that is not on this machine: ${what}. Pass network.chainRpcUrl and network.keyServers if you know them to be right.`,
  );
}

function independent(objectIds: readonly string[]): KeyServerSet {
  return {
    servers: objectIds.map((objectId) => ({ objectId, weight: 1 })),
    threshold: Math.min(2, objectIds.length),
  };
}

/** The same for the same servers, weights and threshold. */
function setName({ servers, threshold }: KeyServerSet): string {
  return [
    threshold,
    ...servers.map(({ objectId, weight }) => `${objectId.toLowerCase()} ${weight}`).sort(),
  ].join('\n');
}

function parseUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed && /^https?:$/.test(parsed.protocol)) return parsed;
  throw new MemRelayError('invalid_argument', `${JSON.stringify(url)} is no address of http or https.`);
}

function guarded(send: typeof fetch, allows: (url: URL) => boolean): typeof fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (!allows(url))
      throw new NetworkError(
        'network_error',
        `${url.host} is a private address, which is not called from here.`,
        {
          retryable: false,
        },
      );
    return send(url.href, { ...init, redirect: 'error', credentials: 'omit' });
  };
}

/** The localnet tells it itself. */
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
    'How many shards the store has is not known: pass network.nShards.',
  );
}
