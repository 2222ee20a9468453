import { createChainClient } from '@memrelay/chain/chain-client';
import { readWalrusTariff, type WalrusTariff } from '@memrelay/chain/walrus-prices';
import { type Network, networkDefaults } from '@memrelay/protocol/networks';
import { readLocalnetInfo } from '../system/network-info.ts';

/**
 * Reads the current Walrus prices from a node of the network. Throws the chain's errors, and those of a localnet's
 * `/info`.
 */
export async function readTariff(network: Network, rpcUrl: string): Promise<WalrusTariff> {
  const systemObjectId =
    networkDefaults[network].walrusSystemObjectId ?? (await readLocalnetInfo(rpcUrl)).walrus.systemObjectId;
  const chain = createChainClient({ network, baseUrl: rpcUrl, timeoutMs: 15_000 });
  return readWalrusTariff(chain, systemObjectId);
}
