import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalnetInfo } from '@memrelay/protocol/localnet-info';
import { expect, test } from 'vitest';
import { checkListenHost, localAccess, relayerSettings } from '../src/system/part-settings.ts';
import { systemPaths } from '../src/system/system-paths.ts';

test("the local relayer takes the person's key servers, and no other address of another network", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'memrelay-settings-'));
  try {
    const own = {
      ENC_SERVER_CONFIGS: '[{"objectId":"0x1","weight":1}]',
      ENC_HISTORICAL_SETS: '[]',
      MCP_MAX_TOTAL_SESSIONS: '7',
      MEM_LISTEN_HOST: '0.0.0.0',
      ALLOWED_HOSTS: 'laptop.example',
      ALLOWED_ORIGINS: 'http://localhost:3000/, https://app.example,',
      PUBLIC_RELAYER_URL: 'https://tunnel.example',
      CHAIN_NETWORK: 'mainnet',
      CHAIN_RPC_URL: 'https://elsewhere.example',
      STORE_PUBLISHER_URL: 'https://elsewhere.example',
      MEM_PACKAGE_ID: '0x2',
    };
    const ports = { relayer: 1, sidecar: 2, localnet: 3, blobstore: 4, dashboard: 5 };
    const urls = { chain: 'http://127.0.0.1:3', blobstore: 'http://127.0.0.1:4' };
    const network = { packageId: '0xa', registryId: '0xb' } as LocalnetInfo;
    const paths = systemPaths(dataDir);
    await mkdir(paths.localnet);
    await writeFile(join(paths.localnet, 'sponsor.key'), 'a key');
    const access = localAccess(own, ports);
    const { environment } = await relayerSettings(own, ports, paths, dataDir, network, urls, access);
    expect(environment).toMatchObject({
      ENC_SERVER_CONFIGS: own.ENC_SERVER_CONFIGS,
      ENC_HISTORICAL_SETS: own.ENC_HISTORICAL_SETS,
      MCP_MAX_TOTAL_SESSIONS: '7',
      PUBLIC_RELAYER_URL: 'https://tunnel.example',
      PUBLIC_DASHBOARD_URL: 'http://127.0.0.1:5',
      CHAIN_NETWORK: 'localnet',
      CHAIN_RPC_URL: urls.chain,
      STORE_PUBLISHER_URL: urls.blobstore,
      STORE_PUBLISHER_JWT_SECRET: access.publisherSecret,
      MEM_LISTEN_HOST: '0.0.0.0',
      ALLOWED_HOSTS: 'laptop.example',
      ALLOWED_ORIGINS: 'http://localhost:5,http://127.0.0.1:5,http://localhost:3000,https://app.example',
      MEM_PACKAGE_ID: network.packageId,
    });
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test('a local system refuses a MEM_LISTEN_HOST at which its own parts would not reach the relayer', () => {
  for (const host of [undefined, '', '127.0.0.1', '0.0.0.0', '::'])
    expect(() => checkListenHost({ MEM_LISTEN_HOST: host })).not.toThrow();
  for (const host of ['192.0.2.1', '::1', 'laptop.example'])
    expect(() => checkListenHost({ MEM_LISTEN_HOST: host })).toThrow(/MEM_LISTEN_HOST must be/);
});
