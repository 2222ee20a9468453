import { networkDefaults } from '@memrelay/protocol/networks';
import type { PublicConfig } from '@memrelay/protocol/service-info';
import { describe, expect, it } from 'vitest';
import { type ManualNetworkOptions, manualNetwork } from '../../src/manual/manual-network.ts';
import { packageId } from '../wire-double.ts';

const id = (digit: string): string => `0x${digit.repeat(64)}`;
const local: PublicConfig = {
  packageId,
  registryId: id('b'),
  network: 'localnet',
  suiRpcUrl: 'http://127.0.0.1:9100',
  aggregatorUrl: 'http://127.0.0.1:31415',
  encServerConfigs: [
    { objectId: id('1'), weight: 1 },
    { objectId: id('2'), weight: 1 },
  ],
  encThreshold: 2,
  embedding: { model: 'm', dimension: 4 },
  chatModel: false,
};
const mainnet: PublicConfig = {
  ...local,
  network: 'mainnet',
  suiRpcUrl: 'https://evil.example',
  aggregatorUrl: 'https://aggregator.example/walrus',
  encServerConfigs: networkDefaults.mainnet.keyServers.map((objectId) => ({ objectId, weight: 1 })),
};

/** Records the called addresses and responds to all of them. */
function network(config: PublicConfig, options: ManualNetworkOptions = {}) {
  const called: { url: string; init: RequestInit | undefined }[] = [];
  const send: typeof fetch = async (input, init) => {
    called.push({ url: String(input), init });
    return Response.json({ walrus: { nShards: 31 } });
  };
  return { called, result: manualNetwork(config, packageId, options, send) };
}

const refusal = (config: PublicConfig, options?: ManualNetworkOptions): string => {
  try {
    network(config, options);
    return 'accepted';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('the network that a relayer reports', () => {
  it('is trusted for a local network on this machine', async () => {
    const { result, called } = network(local);
    expect(result.keyServers).toEqual({ servers: local.encServerConfigs, threshold: 2 });
    expect(await result.nShards()).toBe(31);
    expect(called[0]!.url).toBe('http://127.0.0.1:9100/info');
    await result.guardedFetch('http://127.0.0.1:2024/v1/fetch_key');
    expect(called).toHaveLength(2);
  });

  it.each<[string, PublicConfig, ManualNetworkOptions, string]>([
    ['a local one elsewhere', { ...local, suiRpcUrl: 'http://chain.example:9100' }, {}, 'network_not_pinned'],
    [
      'a local one elsewhere, whose key servers it chooses',
      local,
      { chainRpcUrl: 'http://chain.example' },
      'network_not_pinned',
    ],
    [
      'a local one elsewhere, which would tell the public keys of pinned servers',
      { ...local, suiRpcUrl: 'http://chain.example:9100' },
      { keyServers: { servers: local.encServerConfigs, threshold: 2 } },
      'network_not_pinned',
    ],
    ['another package', { ...local, packageId: id('c') }, {}, 'package_mismatch'],
    ['another network than the pinned one', local, { name: 'mainnet' }, 'network_mismatch'],
    ['an unknown network', { ...local, network: 'devnet' }, {}, 'network_mismatch'],
    [
      'other key servers than those of the network',
      { ...mainnet, encServerConfigs: local.encServerConfigs },
      {},
      'key_server_mismatch',
    ],
    ['a lower threshold', { ...mainnet, encThreshold: 1 }, {}, 'key_server_mismatch'],
    [
      'another weight',
      local,
      {
        keyServers: {
          servers: [
            { objectId: id('1'), weight: 2 },
            { objectId: id('2'), weight: 1 },
          ],
          threshold: 2,
        },
      },
      'key_server_mismatch',
    ],
    [
      'an aggregator of another protocol',
      { ...local, aggregatorUrl: 'file:///etc/passwd' },
      {},
      'invalid_argument',
    ],
  ])('is rejected if it is %s', (_what, config, options, code) => {
    expect(refusal(config, options)).toBe(code);
  });

  it('does not choose the chain or the number of shards of a public network', async () => {
    const { result, called } = network(mainnet);
    await result.chain.call((sui) => sui.core.getObject({ objectId: id('1') })).catch(() => undefined);
    expect(new URL(called[0]!.url).host).toBe('fullnode.mainnet.sui.io');
    expect(await result.nShards()).toBe(1000);
  });

  it('may list the same key servers in another order', () => {
    const keyServers = { servers: local.encServerConfigs.toReversed(), threshold: 2 };
    const { result } = network(local, { keyServers, historicalKeyServers: [{ servers: [], threshold: 1 }] });
    expect(result.readable).toHaveLength(2);
  });
});

describe('hosts that are called', () => {
  it('are not private on a public network, except for aggregators set by the caller', async () => {
    const { result, called } = network(mainnet, { aggregatorUrls: ['http://127.0.0.1:31415'] });
    await result.guardedFetch('http://127.0.0.1:31415/v1/blobs/x');
    for (const url of ['http://169.254.169.254/latest', 'http://localhost:8080/', 'http://[::1]/'])
      await expect(result.guardedFetch(url)).rejects.toMatchObject({
        code: 'network_error',
        retryable: false,
      });
    expect(called).toHaveLength(1);
  });

  it('are never followed on redirects, and get no cookies', async () => {
    const { result, called } = network(mainnet);
    await result.guardedFetch(new URL('https://aggregator.example/v1/blobs/x'), { redirect: 'follow' });
    expect(called[0]!.init).toMatchObject({ redirect: 'error', credentials: 'omit' });
  });
});
