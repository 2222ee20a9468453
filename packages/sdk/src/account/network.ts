import { type ChainClient, createChainClient } from '@memrelay/chain/chain-client';
import { readWalrusNetwork, type WalrusNetwork } from '@memrelay/chain/walrus-network';
import { type Network, networkDefaults } from '@memrelay/protocol/networks';
import type { PublicConfig } from '@memrelay/protocol/service-info';
import { MemRelayError, NetworkError } from '../wire/errors.ts';

type Fetch = typeof globalThis.fetch;

const timeoutMs = 10_000;

/** The chain that a relayer uses, and its objects there. */
export interface AccountNetwork {
  /** `mainnet`, `testnet` or `localnet` */
  name: string;
  chain: ChainClient;
  /** URL of the full node */
  rpcUrl: string;
  packageId: string;
  registryId: string;
  /** The key servers for new keys, as reported by the relayer; the owner should verify them */
  keyServers: { servers: PublicConfig['encServerConfigs']; threshold: number };
  walrus(): Promise<WalrusNetwork>;
}

/**
 * Reads which chain and package a relayer uses. Throws `package_mismatch` if it is not the package that the caller knows,
 * because an attacker could have published another one.
 */
export async function readNetwork(
  serverUrl: string,
  fetch: Fetch,
  packageId?: string,
): Promise<AccountNetwork> {
  const config = await readJson<PublicConfig>(fetch, `${serverUrl}/config`);
  if (packageId !== undefined && config.packageId !== packageId.toLowerCase())
    throw new MemRelayError(
      'package_mismatch',
      `The relayer uses package ${config.packageId}, but these credentials are for ${packageId}.`,
    );
  const chain = createChainClient({ network: config.network, baseUrl: config.suiRpcUrl, fetch });
  let walrus: Promise<WalrusNetwork> | undefined;
  const findWalrus = async (): Promise<WalrusNetwork> => {
    const known = networkDefaults[config.network as Network]?.walrusSystemObjectId;
    return readWalrusNetwork(chain, known ?? (await localSystemObject(fetch, config.suiRpcUrl)));
  };
  return {
    name: config.network,
    chain,
    rpcUrl: config.suiRpcUrl,
    packageId: config.packageId,
    registryId: config.registryId,
    keyServers: { servers: config.encServerConfigs, threshold: config.encThreshold },
    walrus() {
      walrus ??= findWalrus();
      return walrus;
    },
  };
}

/** The localnet reports its own objects. */
async function localSystemObject(fetch: Fetch, chainUrl: string): Promise<string> {
  const info = await readJson<{ walrus?: { systemObjectId?: string } }>(fetch, `${chainUrl}/info`);
  const id = info.walrus?.systemObjectId;
  if (id === undefined)
    throw new MemRelayError('invalid_response', `${chainUrl} reports no Walrus system object.`);
  return id;
}

async function readJson<T>(fetch: Fetch, url: string): Promise<T> {
  let response: Response;
  try {
    response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
  } catch (cause) {
    throw new NetworkError('network_error', `${url} cannot be reached.`, { cause });
  }
  const body: unknown = response.ok ? await response.json().catch(() => undefined) : undefined;
  if (body !== undefined) return body as T;
  throw new MemRelayError(
    'invalid_response',
    `${url} returned status ${response.status}${response.ok ? ' without JSON' : ''}.`,
    {
      status: response.status,
    },
  );
}
