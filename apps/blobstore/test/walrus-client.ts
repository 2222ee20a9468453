import { createChainClient } from '@memrelay/chain/chain-client';
import type { SuiGrpcClient } from '@mysten/sui/grpc';
import { WalrusClient } from '@mysten/walrus';
import { fetchChainInfo } from '../src/registry/chain/walrus-system.ts';

type SendTip = NonNullable<ConstructorParameters<typeof WalrusClient>[0]['uploadRelay']>['sendTip'];

export interface ChainWalrus {
  sui: SuiGrpcClient;
  walrus: WalrusClient;
}

type Options = Pick<
  ConstructorParameters<typeof WalrusClient>[0],
  'uploadRelay' | 'storageNodeClientOptions'
>;

/** The unmodified Walrus client on a localnet, with a store as its upload relay. */
export function walrusClient(chainUrl: string, host: string, sendTip?: SendTip): Promise<ChainWalrus> {
  return clientWith(chainUrl, { uploadRelay: { host, ...(sendTip === undefined ? {} : { sendTip }) } });
}

/** The same client, which connects directly to the storage nodes at their addresses on chain. */
export function nodesClient(
  chainUrl: string,
  storageNodeClientOptions: NonNullable<Options['storageNodeClientOptions']> = {},
): Promise<ChainWalrus> {
  return clientWith(chainUrl, { storageNodeClientOptions });
}

async function clientWith(chainUrl: string, options: Options): Promise<ChainWalrus> {
  const { sui } = createChainClient({ network: 'localnet', baseUrl: chainUrl });
  const { walrus } = await fetchChainInfo(chainUrl);
  const client = new WalrusClient({
    suiClient: sui,
    packageConfig: { systemObjectId: walrus.systemObjectId, stakingPoolId: walrus.stakingObjectId },
    storageNodeUrlScheme: 'http',
    ...options,
  });
  return { sui, walrus: client };
}
