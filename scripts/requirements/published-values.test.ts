import { headers } from '@memrelay/protocol/headers';
import { limits, maxUploadAttempts } from '@memrelay/protocol/limits';
import { networkDefaults } from '@memrelay/protocol/networks';
import { defaultPorts } from '@memrelay/protocol/ports';
import { nonceTtlSeconds, timestampWindowSeconds } from '@memrelay/protocol/signing';
import { declaredVariables } from '@memrelay/protocol/variables';
import type { VariableDeclaration } from '@memrelay/protocol/variables/declaration';
import { apiVersion, deprecations, featureFlags, minSupportedSdk } from '@memrelay/protocol/versions';
import { MAINNET_WALRUS_PACKAGE_CONFIG, TESTNET_WALRUS_PACKAGE_CONFIG } from '@mysten/walrus';
import { expect, it } from 'vitest';

/** Repeats the specification's values, to detect typing errors in the code. */

it('the defaults of each network match the specification', () => {
  expect(networkDefaults.mainnet).toEqual({
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
  });
  expect(networkDefaults.testnet).toEqual({
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
  });
  expect(networkDefaults.localnet).toEqual({
    chainRpcUrl: 'http://127.0.0.1:9100',
    aggregatorUrl: 'http://127.0.0.1:31415',
    publisherUrl: 'http://127.0.0.1:31415',
    uploadRelayUrl: 'http://127.0.0.1:31415',
    keyServers: [],
    storePackageId: undefined,
    storeEpochs: 53,
  });
  expect(defaultPorts).toEqual({
    relayer: 8000,
    sidecar: 9000,
    localnet: 9100,
    blobstore: 31_415,
    dashboard: 5173,
  });
});

it('the Walrus deployments match its own SDK', () => {
  const { mainnet, testnet } = networkDefaults;
  for (const [defaults, known] of [
    [mainnet, MAINNET_WALRUS_PACKAGE_CONFIG],
    [testnet, TESTNET_WALRUS_PACKAGE_CONFIG],
  ] as const) {
    expect(defaults.walrusSystemObjectId).toBe(known.systemObjectId);
    expect(defaults.walrusStakingObjectId).toBe(known.stakingPoolId);
  }
});

it('versions, flags and deprecations match the published ones', () => {
  expect(apiVersion).toBe('1.0.0');
  expect(minSupportedSdk).toEqual({ typescript: '0.0.4', python: '0.1.0', mcp: '0.0.1' });
  expect(featureFlags).toMatchObject({
    'auth.accountBoundNonce': true,
    'auth.encSessionHeader': true,
    'auth.sealSessionHeader': true,
    'config.publicDeploymentMetadata': true,
    'remember.asyncJobs': true,
    'remember.bulk': true,
    'runtime.versionEndpoint': true,
  });
  expect(deprecations.map(({ surface, removalApiVersion }) => [surface, removalApiVersion])).toEqual([
    ['header:x-delegate-key', '2.0.0'],
    ['env:ENC_KEY_SERVERS', '2.0.0'],
  ]);
});

it('limits and windows match the specification', () => {
  expect(limits).toEqual({
    namespaceCharacters: 128,
    textBytes: 1_048_576,
    analyzeTextBytes: 65_536,
    queryBytes: 65_536,
    bulkItems: 20,
    encryptedDataBytes: 1_114_112,
    bodyBytes: 2_097_152,
    sponsorBodyBytes: 10_240,
    sponsorExecuteBodyBytes: 4_096,
    recallLimit: { default: 10, max: 100 },
    askLimit: { default: 5, max: 100 },
    restoreLimit: { default: 10, max: 500 },
    profileLimit: { default: 20, max: 100 },
    contextMemories: 3,
    listLimit: { default: 50, max: 100 },
    auditLimit: { default: 100, max: 500 },
    webhooksPerAccount: 10,
    webhookUrlCharacters: 2_048,
    webhookNamespaces: 16,
    deliveriesLimit: { default: 50, max: 200 },
  });
  expect({ maxUploadAttempts, timestampWindowSeconds, nonceTtlSeconds }).toEqual({
    maxUploadAttempts: 5,
    timestampWindowSeconds: 300,
    nonceTtlSeconds: 660,
  });
});

it('headers have the names of the specification', () => {
  expect(headers).toMatchObject({
    publicKey: 'x-public-key',
    signature: 'x-signature',
    timestamp: 'x-timestamp',
    nonce: 'x-nonce',
    accountId: 'x-account-id',
    encSession: 'x-enc-session',
    delegateKey: 'x-delegate-key',
    requestId: 'x-request-id',
    idempotencyKey: 'idempotency-key',
    memAccountId: 'x-mem-account-id',
  });
});

it("an operator's variables have the defaults of the specification", () => {
  const defaults = Object.entries<VariableDeclaration>(declaredVariables).map(([name, each]) => [
    name,
    each.default,
  ]);
  // An empty text is an empty list
  expect(Object.fromEntries(defaults)).toMatchObject({
    PORT: '8000',
    RUST_LOG: 'memrelay_server=info,tower_http=info',
    SIDECAR_URL: 'http://localhost:9000',
    SIDECAR_WATCHDOG_INTERVAL_SECS: '30',
    SIDECAR_WATCHDOG_TIMEOUT_SECS: '2',
    SIDECAR_WATCHDOG_MAX_FAILURES: '6',
    CHAIN_NETWORK: 'mainnet',
    STORE_AGGREGATOR_URLS: '',
    STORE_AGGREGATOR_RACE_AFTER_MS: '150',
    STORE_SKIP_CONSISTENCY_CHECK: 'false',
    BLOB_CACHE_TTL_SECS: '1209600',
    BLOB_CACHE_MAX_BYTES: '524288',
    LLM_CHAT_MODEL: 'gpt-4o-mini',
    LLM_EMBEDDING_MODEL: 'text-embedding-3-small',
    EMBEDDING_DIM: '1536',
    EMBEDDING_CACHE_TTL_SECS: '600',
    UPLOAD_CONCURRENCY: '8',
    ALLOWED_ORIGINS: '',
    TRUSTED_PROXY_HOPS: '0',
    MEM_ALLOW_MOCK_LLM: 'false',
  });
});
