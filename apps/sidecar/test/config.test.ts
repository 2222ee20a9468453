import { networkDefaults } from '@memrelay/protocol/networks';
import { describe, expect, test } from 'vitest';
import { SidecarConfigError } from '../src/base/config-error.ts';
import { loadConfig } from '../src/config/config.ts';

const id = (digit: string): string => `0x${digit.repeat(64)}`;
const enough = { SIDECAR_AUTH_TOKEN: 'a-token-of-16-up', MEM_PACKAGE_ID: id('A') };
const configs = (entries: unknown): string => JSON.stringify(entries);

describe('the configuration of the sidecar', () => {
  test('applies the defaults of mainnet to a minimal configuration', async () => {
    const config = await loadConfig(enough);
    expect(config).toMatchObject({
      port: 9000,
      network: 'mainnet',
      packageId: id('a'),
      chainRpcUrl: 'https://fullnode.mainnet.sui.io:443',
      serverKey: undefined,
    });
    expect(config.serverSets.current.servers.length).toBe(2);
    expect(config.serverSets.current.threshold).toBe(2);
  });

  test.each([
    [
      'mainnet',
      '0x145540d931f182fef76467dd8074c9839aea126852d90d18e1556fcbbd1208b6',
      '0xe0eb52eba9261b96e895bbb4deca10dcd64fbc626a1133017adcd5131353fd10',
    ],
    [
      'testnet',
      '0x73d05d62c18d9374e3ea529e8e0ed6161da1a141a94d3f76ae3fe4e99356db75',
      '0xf5d14a81a982144ae441cd7d64b09027f116a468bd36e7eca494f750591623c8',
    ],
  ])('%s has its own pair of independent key servers, which must both respond', async (network, ...ids) => {
    const { serverSets } = await loadConfig({ ...enough, CHAIN_NETWORK: network });
    expect(serverSets.current.servers).toEqual(ids.map((objectId) => ({ objectId, weight: 1 })));
    expect(serverSets.current.threshold).toBe(2);
  });

  test("testnet's pair in either variable is the same set as the default", async () => {
    const testnet = { ...enough, CHAIN_NETWORK: 'testnet' };
    const { current } = (await loadConfig(testnet)).serverSets;
    const ids = current.servers.map(({ objectId }) => objectId);
    const environments = [
      { ENC_KEY_SERVERS: ids.toReversed().join(',') },
      { ENC_SERVER_CONFIGS: configs(ids.map((objectId) => ({ objectId, weight: 1 }))) },
    ];
    for (const environment of environments)
      expect((await loadConfig({ ...testnet, ...environment })).serverSets.current.id).toBe(current.id);
  });

  test('STORE_PUBLISHER_URL overrides the publisher of the network', async () => {
    const publisherOf = async (more: NodeJS.ProcessEnv) =>
      (await loadConfig({ ...enough, ...more })).uploads.publisherUrl;
    expect(await publisherOf({})).toBe('https://publisher.walrus-mainnet.walrus.space');
    expect(await publisherOf({ CHAIN_NETWORK: 'testnet' })).toBe(
      'https://publisher.walrus-testnet.walrus.space',
    );
    expect(await loadConfig(enough)).toMatchObject({ nShards: 1000 });
    expect(await loadConfig({ ...enough, STORE_SHARDS: '31' })).toMatchObject({ nShards: 31 });
    expect(await publisherOf({ STORE_PUBLISHER_URL: 'https://own.example' })).toBe('https://own.example');
  });

  test('the sponsor defaults to Enoki on mainnet, and the wallet does not pay', async () => {
    const sponsorOf = async (more: NodeJS.ProcessEnv) => (await loadConfig({ ...enough, ...more })).sponsor;
    expect(await sponsorOf({})).toEqual({
      apiUrl: 'https://api.enoki.mystenlabs.com',
      apiKey: undefined,
      network: 'mainnet',
      fallback: false,
    });
    const configured = {
      SPONSOR_API_URL: 'https://own.example',
      SPONSOR_API_KEY: 'a-key',
      SPONSOR_NETWORK: 'testnet',
      SPONSOR_FALLBACK_TO_DIRECT_SIGN: 'TRUE',
    };
    expect(await sponsorOf(configured)).toEqual({
      apiUrl: 'https://own.example',
      apiKey: 'a-key',
      network: 'testnet',
      fallback: true,
    });
  });

  test('the Walrus objects default to those of the network', async () => {
    const walrusOf = async (more: NodeJS.ProcessEnv) => (await loadConfig({ ...enough, ...more })).walrus;
    const { walrusSystemObjectId, walrusStakingObjectId } = networkDefaults.testnet;
    expect(await walrusOf({ CHAIN_NETWORK: 'testnet' })).toEqual({
      systemObjectId: walrusSystemObjectId,
      stakingPoolId: walrusStakingObjectId,
      packageId: undefined,
    });
    const own = {
      STORE_PACKAGE_ID: id('A'),
      STORE_SYSTEM_OBJECT_ID: id('B'),
      STORE_STAKING_OBJECT_ID: id('C'),
    };
    expect(await walrusOf(own)).toEqual({
      packageId: id('a'),
      systemObjectId: id('b'),
      stakingPoolId: id('c'),
    });
  });

  test('logging follows RUST_LOG and LOG_FORMAT, and rejects an invalid filter', async () => {
    const logOf = async (more: NodeJS.ProcessEnv) => (await loadConfig({ ...enough, ...more })).log;
    expect(await logOf({})).toEqual({ filter: 'memrelay_server=info,tower_http=info', format: 'pretty' });
    expect(await logOf({ RUST_LOG: 'debug', LOG_FORMAT: 'json' })).toEqual({
      filter: 'debug',
      format: 'json',
    });
    await expect(logOf({ RUST_LOG: 'garbage' })).rejects.toThrow('RUST_LOG must be level or target=level');
  });

  test('uploads use the configured publisher, otherwise the wallets through the relay', async () => {
    const [single, ...pool] = ['1', '2', '3'].map((digit) => digit.repeat(64));
    const uploadsOf = async (more: NodeJS.ProcessEnv) => (await loadConfig({ ...enough, ...more })).uploads;
    const environments = { STORE_PUBLISHER_URL: 'https://own.example', SERVER_CHAIN_PRIVATE_KEY: single };
    expect(await uploadsOf(environments)).toMatchObject({
      mode: 'publisher',
      publisherUrl: 'https://own.example',
    });
    expect(await uploadsOf({ SERVER_CHAIN_PRIVATE_KEY: single })).toMatchObject({
      mode: 'relay',
      relayUrl: 'https://upload-relay.mainnet.walrus.space',
      walletKeys: [single],
    });
    const several = {
      SERVER_CHAIN_PRIVATE_KEY: single,
      SERVER_CHAIN_PRIVATE_KEYS: pool.join(', '),
      STORE_UPLOAD_RELAY_URL: 'https://relay.example',
    };
    expect(await uploadsOf(several)).toMatchObject({
      mode: 'relay',
      relayUrl: 'https://relay.example',
      walletKeys: pool,
    });
    expect(await uploadsOf({ CHAIN_NETWORK: 'testnet' })).toMatchObject({
      mode: 'publisher',
      walletKeys: [],
    });
  });

  test('reports every problem without echoing values', async () => {
    const wrong = {
      SIDECAR_AUTH_TOKEN: 'secret one',
      MEM_PACKAGE_ID: 'secret two',
      CHAIN_RPC_URL: 'secret three',
      ENC_THRESHOLD: 'secret four',
    };
    const error = await loadConfig(wrong).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(SidecarConfigError);
    for (const name of Object.keys(wrong)) expect((error as Error).message).toContain(name);
    expect((error as Error).message).not.toContain('secret');
  });

  test('ENC_SERVER_CONFIGS overrides the deprecated list, which overrides the network', async () => {
    const list = { ENC_KEY_SERVERS: ` ${id('1')} , ${id('2')},${id('3')}` };
    const listed = await loadConfig({ ...enough, ...list });
    expect(listed.serverSets.current.servers.map(({ objectId }) => objectId)).toEqual([
      id('1'),
      id('2'),
      id('3'),
    ]);
    expect(listed.serverSets.current.threshold).toBe(2);
    const committee = [{ objectId: id('4'), weight: 1, aggregatorUrl: 'https://committee.example' }];
    const configured = await loadConfig({ ...enough, ...list, ENC_SERVER_CONFIGS: configs(committee) });
    expect(configured.serverSets.current.servers).toEqual(committee);
    expect(configured.serverSets.current.threshold).toBe(1);
  });

  test('reads the relayer URL of tools and the session limits', async () => {
    expect((await loadConfig(enough)).tools).toEqual({
      relayerUrl: 'http://127.0.0.1:8000',
      limits: { total: 1000, perAddress: 16, newPerMinute: 30 },
      extraTools: false,
    });
    expect((await loadConfig({ ...enough, PORT: '8080' })).tools.relayerUrl).toBe('http://127.0.0.1:8080');
    const set = {
      MEM_RELAYER_URL: 'https://relayer.example',
      MCP_MAX_TOTAL_SESSIONS: '3',
      MCP_MAX_SESSIONS_PER_IP: '2',
      MCP_MAX_NEW_SESSIONS_PER_IP_PER_MIN: '1',
      MCP_EXTRA_TOOLS: 'TRUE',
    };
    expect((await loadConfig({ ...enough, ...set })).tools).toEqual({
      relayerUrl: 'https://relayer.example',
      limits: { total: 3, perAddress: 2, newPerMinute: 1 },
      extraTools: true,
    });
    await expect(loadConfig({ ...enough, MCP_MAX_TOTAL_SESSIONS: '0' })).rejects.toThrow(
      'MCP_MAX_TOTAL_SESSIONS',
    );
  });

  test('the threshold defaults to two or less, and may be set up to the total weight', async () => {
    const weighted = configs([
      { objectId: id('1'), weight: 3 },
      { objectId: id('2'), weight: 1 },
    ]);
    const load = (threshold?: string) =>
      loadConfig({ ...enough, ENC_SERVER_CONFIGS: weighted, ENC_THRESHOLD: threshold });
    expect((await load()).serverSets.current.threshold).toBe(2);
    expect((await load('4')).serverSets.current.threshold).toBe(4);
    await expect(load('5')).rejects.toThrow('ENC_THRESHOLD must be at most 4');
  });

  test('a single committee requires threshold 1, which is the default', async () => {
    const committee = configs([{ objectId: id('4'), weight: 1, aggregatorUrl: 'https://committee.example' }]);
    const load = (threshold?: string) =>
      loadConfig({ ...enough, ENC_SERVER_CONFIGS: committee, ENC_THRESHOLD: threshold });
    expect((await load()).serverSets.current.threshold).toBe(1);
    expect((await load('1')).serverSets.current.threshold).toBe(1);
    await expect(load('3')).rejects.toThrow('ENC_THRESHOLD must be at most 1');
  });

  test('ENC_HISTORICAL_SETS are added to the current set and never replace it', async () => {
    const pair = [id('1'), id('2')].map((objectId) => ({ objectId, weight: 1 }));
    const committee = { objectId: id('4'), weight: 1, aggregatorUrl: 'https://committee.example' };
    const { serverSets } = await loadConfig({
      ...enough,
      ENC_SERVER_CONFIGS: configs(pair),
      ENC_HISTORICAL_SETS: configs([
        { servers: [committee], threshold: 1 },
        { servers: pair, threshold: 1 },
        { servers: pair, threshold: 2 },
      ]),
    });
    expect(serverSets.current).toMatchObject({ servers: pair, threshold: 2 });
    expect(serverSets.all.map(({ servers, threshold }) => [servers, threshold])).toEqual([
      [[committee], 1],
      [pair, 1],
      [pair, 2],
    ]);
    expect(serverSets.all).toContain(serverSets.current);
    expect((await loadConfig({ ...enough, ENC_HISTORICAL_SETS: '[]' })).serverSets.all).toHaveLength(1);
  });

  test.each([
    ['invalid JSON', 'nonsense'],
    ['a set without servers', configs([{ servers: [], threshold: 1 }])],
    ['a set without a threshold', configs([{ servers: [{ objectId: id('1') }] }])],
    ['a threshold above the total weight', configs([{ servers: [{ objectId: id('1') }], threshold: 2 }])],
    ['a list of servers instead of sets', configs([{ objectId: id('1') }])],
    [
      'an incomplete API key',
      configs([{ servers: [{ objectId: id('1'), apiKey: 'secret' }], threshold: 1 }]),
    ],
    [
      'a duplicate server',
      configs([{ servers: [{ objectId: id('1') }, { objectId: id('1') }], threshold: 1 }]),
    ],
  ])('ENC_HISTORICAL_SETS with %s is rejected by name', async (_what, value) => {
    const failure = await loadConfig({ ...enough, ENC_HISTORICAL_SETS: value }).catch(
      (error: Error) => error,
    );
    expect(failure).toBeInstanceOf(SidecarConfigError);
    expect((failure as Error).message).toContain('ENC_HISTORICAL_SETS');
    expect((failure as Error).message).not.toContain('secret');
  });

  test.each([
    ['invalid JSON', 'nonsense'],
    ['an empty list', '[]'],
    ['an entry without an id', configs([{ weight: 1 }])],
    ['a weight of zero', configs([{ objectId: id('1'), weight: 0 }])],
    ['an API key without its name', configs([{ objectId: id('1'), weight: 1, apiKey: 'secret' }])],
    ['a duplicate server', configs([{ objectId: id('1') }, { objectId: id('1') }])],
  ])('ENC_SERVER_CONFIGS with %s is rejected', async (_what, value) => {
    const error = await loadConfig({ ...enough, ENC_SERVER_CONFIGS: value }).catch(
      (failure: unknown) => failure,
    );
    expect(error).toBeInstanceOf(SidecarConfigError);
    expect((error as Error).message).not.toContain('secret');
  });

  test('reports a localnet that does not respond', async () => {
    const nowhere = { CHAIN_NETWORK: 'localnet', CHAIN_RPC_URL: 'http://127.0.0.1:1' };
    await expect(loadConfig({ ...enough, ...nowhere })).rejects.toThrow(
      'CHAIN_RPC_URL: CHAIN_NETWORK is localnet, but no localnet responds there',
    );
  });

  test('trims white space around the server key and the token', async () => {
    const key = 'c'.repeat(64);
    const config = await loadConfig({
      ...enough,
      SIDECAR_AUTH_TOKEN: ' a-token-of-16-up\n',
      SERVER_CHAIN_PRIVATE_KEY: `${key}\n`,
    });
    expect(config).toMatchObject({ token: 'a-token-of-16-up', serverKey: key });
  });
});
