import { describe, expect, test } from 'vitest';
import { loadConfig, SidecarConfigError } from '../src/config/config.ts';

const id = (digit: string): string => `0x${digit.repeat(64)}`;
const enough = { SIDECAR_AUTH_TOKEN: 'a-token-of-16-up', MEM_PACKAGE_ID: id('A') };
const configs = (entries: unknown): string => JSON.stringify(entries);

describe('the configuration of the sidecar', () => {
  test('the least there can be, with the defaults of mainnet', async () => {
    const config = await loadConfig(enough);
    expect(config).toMatchObject({
      port: 9000,
      network: 'mainnet',
      packageId: id('a'),
      chainRpcUrl: 'https://fullnode.mainnet.sui.io:443',
      serverKey: undefined,
    });
    expect(config.serverSet.servers.length).toBe(2);
    expect(config.serverSet.threshold).toBe(2);
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
  ])('%s has a pair of independent key servers of its own, and both must answer', async (network, ...ids) => {
    const { serverSet } = await loadConfig({ ...enough, CHAIN_NETWORK: network });
    expect(serverSet.servers).toEqual(ids.map((objectId) => ({ objectId, weight: 1 })));
    expect(serverSet.threshold).toBe(2);
  });

  test('STORE_PUBLISHER_URL wins over the publisher of the network', async () => {
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

  test('the sponsor is Enoki of mainnet unless told otherwise, and the wallet does not pay', async () => {
    const sponsorOf = async (more: NodeJS.ProcessEnv) => (await loadConfig({ ...enough, ...more })).sponsor;
    expect(await sponsorOf({})).toEqual({
      apiUrl: 'https://api.enoki.mystenlabs.com',
      apiKey: undefined,
      network: 'mainnet',
      fallback: false,
      walrusPackageId: '0xfdc88f7d7cf30afab2f82e8380d11ee8f70efb90e863d1de8616fae1bb09ea77',
    });
    const told = {
      SPONSOR_API_URL: 'https://own.example',
      SPONSOR_API_KEY: 'a-key',
      SPONSOR_NETWORK: 'testnet',
      SPONSOR_FALLBACK_TO_DIRECT_SIGN: 'TRUE',
      STORE_PACKAGE_ID: id('A'),
    };
    expect(await sponsorOf(told)).toEqual({
      apiUrl: 'https://own.example',
      apiKey: 'a-key',
      network: 'testnet',
      fallback: true,
      walrusPackageId: id('a'),
    });
  });

  test('uploads go to the publisher that is named, else from the wallets through the relay', async () => {
    const [single, ...pool] = ['1', '2', '3'].map((digit) => digit.repeat(64));
    const uploadsOf = async (more: NodeJS.ProcessEnv) => (await loadConfig({ ...enough, ...more })).uploads;
    const named = { STORE_PUBLISHER_URL: 'https://own.example', SERVER_CHAIN_PRIVATE_KEY: single };
    expect(await uploadsOf(named)).toMatchObject({ mode: 'publisher', publisherUrl: 'https://own.example' });
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

  test('names every problem, and echoes no value', async () => {
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

  test('ENC_SERVER_CONFIGS wins over the deprecated list, which wins over the network', async () => {
    const list = { ENC_KEY_SERVERS: ` ${id('1')} , ${id('2')},${id('3')}` };
    const listed = await loadConfig({ ...enough, ...list });
    expect(listed.serverSet.servers.map(({ objectId }) => objectId)).toEqual([id('1'), id('2'), id('3')]);
    expect(listed.serverSet.threshold).toBe(2);
    const committee = [{ objectId: id('4'), weight: 1, aggregatorUrl: 'https://committee.example' }];
    const configured = await loadConfig({ ...enough, ...list, ENC_SERVER_CONFIGS: configs(committee) });
    expect(configured.serverSet.servers).toEqual(committee);
    expect(configured.serverSet.threshold).toBe(1);
  });

  test('the threshold defaults to two or less, and may be set up to the whole weight', async () => {
    const weighted = configs([
      { objectId: id('1'), weight: 3 },
      { objectId: id('2'), weight: 1 },
    ]);
    const load = (threshold?: string) =>
      loadConfig({ ...enough, ENC_SERVER_CONFIGS: weighted, ENC_THRESHOLD: threshold });
    expect((await load()).serverSet.threshold).toBe(2);
    expect((await load('4')).serverSet.threshold).toBe(4);
    await expect(load('5')).rejects.toThrow('threshold');
  });

  test.each([
    ['no JSON', 'nonsense'],
    ['an empty list', '[]'],
    ['an entry without an id', configs([{ weight: 1 }])],
    ['a weight of nothing', configs([{ objectId: id('1'), weight: 0 }])],
    ['an API key without its name', configs([{ objectId: id('1'), weight: 1, apiKey: 'secret' }])],
    ['a server named twice', configs([{ objectId: id('1') }, { objectId: id('1') }])],
  ])('ENC_SERVER_CONFIGS with %s is refused', async (_what, value) => {
    const error = await loadConfig({ ...enough, ENC_SERVER_CONFIGS: value }).catch(
      (failure: unknown) => failure,
    );
    expect(error).toBeInstanceOf(SidecarConfigError);
    expect((error as Error).message).not.toContain('secret');
  });

  test('a localnet that does not answer is said so', async () => {
    const nowhere = { CHAIN_NETWORK: 'localnet', CHAIN_RPC_URL: 'http://127.0.0.1:1' };
    await expect(loadConfig({ ...enough, ...nowhere })).rejects.toThrow(
      'CHAIN_RPC_URL: no localnet answers there',
    );
  });

  test('the server key and the token without the white space around them', async () => {
    const key = 'c'.repeat(64);
    const config = await loadConfig({
      ...enough,
      SIDECAR_AUTH_TOKEN: ' a-token-of-16-up\n',
      SERVER_CHAIN_PRIVATE_KEY: `${key}\n`,
    });
    expect(config).toMatchObject({ token: 'a-token-of-16-up', serverKey: key });
  });
});
