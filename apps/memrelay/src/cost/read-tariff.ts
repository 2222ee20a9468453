import { createChainClient } from '@memrelay/chain/chain-client';
import { readWalrusTariff, type WalrusTariff } from '@memrelay/chain/walrus-prices';
import { type Network, networkDefaults } from '@memrelay/protocol/networks';
import { readLocalnetInfo } from '../system/network-info.ts';

/** The present prices of a network's Walrus, by a node of it. Throws the chain's errors, and whatever a localnet's `/info` does. */
export async function readTariff(network: Network, rpcUrl: string): Promise<WalrusTariff> {
  const systemObjectId =
    networkDefaults[network].walrusSystemObjectId ?? (await readLocalnetInfo(rpcUrl)).walrus.systemObjectId;
  const chain = createChainClient({ network, baseUrl: rpcUrl, timeoutMs: 15_000 });
  return readWalrusTariff(chain, systemObjectId);
}
