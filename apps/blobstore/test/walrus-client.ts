import { createChainClient } from '@memrelay/chain/chain-client';
import type { SuiGrpcClient } from '@mysten/sui/grpc';
import { WalrusClient } from '@mysten/walrus';
import { fetchChainInfo } from '../src/registry/chain/walrus-system.ts';

type SendTip = NonNullable<ConstructorParameters<typeof WalrusClient>[0]['uploadRelay']>['sendTip'];

export interface ChainWalrus {
  sui: SuiGrpcClient;
  walrus: WalrusClient;
}

/** The unmodified client of Walrus on a localnet, with a store as its upload relay. */
export async function walrusClient(chainUrl: string, host: string, sendTip?: SendTip): Promise<ChainWalrus> {
  const { sui } = createChainClient({ network: 'localnet', baseUrl: chainUrl });
  const { walrus } = await fetchChainInfo(chainUrl);
  const client = new WalrusClient({
    suiClient: sui,
    packageConfig: { systemObjectId: walrus.systemObjectId, stakingPoolId: walrus.stakingObjectId },
    uploadRelay: { host, ...(sendTip === undefined ? {} : { sendTip }) },
  });
  return { sui, walrus: client };
}
