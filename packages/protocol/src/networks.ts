/** Defaults for each CHAIN_NETWORK (decisions.md, "Network defaults"). A URL set by the operator takes precedence. */

export type Network = 'mainnet' | 'testnet' | 'localnet';

export interface NetworkDefaults {
  chainRpcUrl: string;
  aggregatorUrl: string;
  publisherUrl: string;
  uploadRelayUrl: string;
  /** Independent key servers of weight 1; the localnet returns its own at `/info` */
  keyServers: readonly string[];
  /** Walrus package; the localnet returns its own at `/info` */
  storePackageId: string | undefined;
  /** Walrus' shared system object; the localnet returns its own at `/info` */
  walrusSystemObjectId: string | undefined;
  /** Walrus' shared staking object; the localnet returns its own at `/info` */
  walrusStakingObjectId: string | undefined;
  /** Number of shards, which blob ids depend on; the localnet returns its own at `/info` */
  nShards: number | undefined;
  /** Epochs a blob is stored for */
  storeEpochs: number;
}

export const networkDefaults: Readonly<Record<Network, NetworkDefaults>> = {
  mainnet: {
    chainRpcUrl: 'https://fullnode.mainnet.sui.io:443',
    aggregatorUrl: 'https://aggregator.walrus-mainnet.walrus.space',
    publisherUrl: 'https://publisher.walrus-mainnet.walrus.space',
    uploadRelayUrl: 'https://upload-relay.mainnet.walrus.space',
    keyServers: [
      '0x145540d931f182fef76467dd8074c9839aea126852d90d18e1556fcbbd1208b6',
      '0xe0eb52eba9261b96e895bbb4deca10dcd64fbc626a1133017adcd5131353fd10',
    ],
    storePackageId: '0xfdc88f7d7cf30afab2f82e8380d11ee8f70efb90e863d1de8616fae1bb09ea77',
    walrusSystemObjectId: '0x2134d52768ea07e8c43570ef975eb3e4c27a39fa6396bef985b5abc58d03ddd2',
    walrusStakingObjectId: '0x10b9d30c28448939ce6c4d6c6e0ffce4a7f8a4ada8248bdad09ef8b70e4a3904',
    nShards: 1000,
    storeEpochs: 2,
  },
  testnet: {
    chainRpcUrl: 'https://fullnode.testnet.sui.io:443',
    aggregatorUrl: 'https://aggregator.walrus-testnet.walrus.space',
    publisherUrl: 'https://publisher.walrus-testnet.walrus.space',
    uploadRelayUrl: 'https://upload-relay.testnet.walrus.space',
    keyServers: [
      '0x73d05d62c18d9374e3ea529e8e0ed6161da1a141a94d3f76ae3fe4e99356db75',
      '0xf5d14a81a982144ae441cd7d64b09027f116a468bd36e7eca494f750591623c8',
    ],
    storePackageId: '0xd84704c17fc870b8764832c535aa6b11f21a95cd6f5bb38a9b07d2cf42220c66',
    walrusSystemObjectId: '0x6c2547cbbc38025cf3adac45f63cb0a8d12ecf777cdc75a4971612bf97fdf6af',
    walrusStakingObjectId: '0xbe46180321c30aab2f8b3501e24048377287fa708018a5b7c2792b35fe339ee3',
    nShards: 1000,
    storeEpochs: 50,
  },
  localnet: {
    chainRpcUrl: 'http://127.0.0.1:9100',
    aggregatorUrl: 'http://127.0.0.1:31415',
    publisherUrl: 'http://127.0.0.1:31415',
    uploadRelayUrl: 'http://127.0.0.1:31415',
    keyServers: [],
    storePackageId: undefined,
    walrusSystemObjectId: undefined,
    walrusStakingObjectId: undefined,
    nShards: undefined,
    storeEpochs: 53,
  },
};

/** Default of SPONSOR_API_URL: Enoki. */
export const defaultSponsorApiUrl = 'https://api.enoki.mystenlabs.com';
