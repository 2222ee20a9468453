import { ChainRejectedError, chainError } from '@memrelay/chain/chain-errors';
import {
  encHistoricalSetsForm,
  encServerConfigsForm,
  parseEncHistoricalSets,
  parseEncKeyServers,
  parseEncServerConfigs,
  thresholdForm,
} from '@memrelay/protocol/enc-servers';
import type { LocalnetInfo } from '@memrelay/protocol/localnet-info';
import { type Network, networkDefaults } from '@memrelay/protocol/networks';
import { InvalidClientOptionsError, type KeyServerConfig } from '@mysten/seal';
import { SidecarConfigError } from '../base/config-error.ts';
import type { KeyServerDirectory } from '../seal/key-server-directory.ts';
import { makeServerSet, makeServerSets, type ServerSet, type ServerSets } from '../seal/server-sets.ts';

interface Variables {
  CHAIN_NETWORK: Network;
  ENC_SERVER_CONFIGS?: string | undefined;
  ENC_KEY_SERVERS?: string | undefined;
  ENC_THRESHOLD?: number | undefined;
  ENC_HISTORICAL_SETS?: string | undefined;
}

/** The key servers for new keys, and the historical ones. Throws `SidecarConfigError`. */
export function configuredServerSets(values: Variables, localnet: LocalnetInfo | undefined): ServerSets {
  const servers = configuredServers(values, localnet);
  const total = servers.reduce((sum, { weight }) => sum + weight, 0);
  const threshold = values.ENC_THRESHOLD ?? Math.min(2, total);
  if (threshold > total) throw new SidecarConfigError(`ENC_THRESHOLD ${thresholdForm(total)}`);
  const current = reportedAs('ENC_SERVER_CONFIGS', () => makeServerSet({ servers, threshold }));
  return makeServerSets(current, historicalSets(values.ENC_HISTORICAL_SETS));
}

/** ENC_SERVER_CONFIGS, else the deprecated list, else the network's own (spec, "Configuration rules" 3 to 5). */
function configuredServers(values: Variables, localnet: LocalnetInfo | undefined): KeyServerConfig[] {
  if (values.ENC_SERVER_CONFIGS) {
    const configured = parseEncServerConfigs(values.ENC_SERVER_CONFIGS);
    if (!configured) throw new SidecarConfigError(`ENC_SERVER_CONFIGS ${encServerConfigsForm}`);
    return configured as KeyServerConfig[];
  }
  const listed = parseEncKeyServers(values.ENC_KEY_SERVERS ?? '');
  if (!listed) throw new SidecarConfigError('ENC_KEY_SERVERS must be object ids separated by commas');
  if (listed.length > 0) return listed.map((objectId) => ({ objectId, weight: 1 }));
  if (localnet) return localnet.keyServers.map(({ objectId, weight }) => ({ objectId, weight }));
  const { keyServers } = networkDefaults[values.CHAIN_NETWORK];
  return keyServers.map((objectId) => ({ objectId, weight: 1 }));
}

function historicalSets(text: string | undefined): ServerSet[] {
  const sets = parseEncHistoricalSets(text ?? '[]');
  if (!sets) throw new SidecarConfigError(`ENC_HISTORICAL_SETS ${encHistoricalSetsForm}`);
  return sets.map(({ servers, threshold }) =>
    reportedAs('ENC_HISTORICAL_SETS', () =>
      makeServerSet({ servers: servers as KeyServerConfig[], threshold }),
    ),
  );
}

function reportedAs(variable: string, make: () => ServerSet): ServerSet {
  try {
    return make();
  } catch (error) {
    throw new SidecarConfigError(`${variable}: the key servers are unusable: ${(error as Error).message}`);
  }
}

/** How long the start waits for a chain that does not respond, in milliseconds. */
const checkMs = 5_000;

/**
 * Checks the sets against the chain: the current servers must exist, a committee needs its `aggregatorUrl`, and an
 * independent server must have none. Throws `SidecarConfigError`. Does not throw while the chain is unavailable.
 */
export async function checkServerTypes(directory: KeyServerDirectory, sets: ServerSets): Promise<void> {
  const late = AbortSignal.timeout(checkMs);
  const waited = new Promise<void>((resolve) => late.addEventListener('abort', () => resolve()));
  const checks = sets.all.map(async (set) => {
    try {
      await directory.snapshot(set);
    } catch (error) {
      const variable = set === sets.current ? 'ENC_SERVER_CONFIGS' : 'ENC_HISTORICAL_SETS';
      if (error instanceof InvalidClientOptionsError)
        throw new SidecarConfigError(`${variable}: ${error.message}`);
      if (set === sets.current && chainError(error) instanceof ChainRejectedError)
        throw new SidecarConfigError(
          `${variable}: contains a key server that does not exist on CHAIN_NETWORK`,
        );
    }
  });
  await Promise.race([Promise.all(checks), waited]);
}
