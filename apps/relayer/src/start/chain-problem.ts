import { findPackageProblem } from '@memrelay/chain/account-package';
import { createChainClient } from '@memrelay/chain/chain-client';
import type { Config } from '../config/config.ts';

/** Why the chain cannot be used, or lacks our package or registry, as a line that begins with its variable. */
export async function chainProblem(
  config: Pick<Config, 'network' | 'chainRpcUrl' | 'packageId' | 'registryId'>,
): Promise<string | undefined> {
  const { network, chainRpcUrl, packageId, registryId } = config;
  const chain = createChainClient({ network, baseUrl: chainRpcUrl });
  try {
    const problem = await findPackageProblem(chain, packageId, registryId);
    if (!problem) return undefined;
    const variable = problem.id === 'package' ? 'MEM_PACKAGE_ID' : 'MEM_REGISTRY_ID';
    return `${variable}: ${problem.message} on the chain that CHAIN_RPC_URL leads to (CHAIN_NETWORK is ${network})`;
  } catch {
    return `CHAIN_RPC_URL: no node of the chain can be reached there (CHAIN_NETWORK is ${network})`;
  }
}
