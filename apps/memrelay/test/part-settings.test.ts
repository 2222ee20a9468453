import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalnetInfo } from '@memrelay/protocol/localnet-info';
import {
  declaredVariables,
  knownVariables,
  type VariableName,
  variablesOf,
} from '@memrelay/protocol/variables';
import type { VariableReader } from '@memrelay/protocol/variables/declaration';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  blobstoreSettings,
  checkListenHost,
  dashboardSettings,
  localAccess,
  localnetSettings,
  relayerSettings,
} from '../src/system/part-settings.ts';
import { systemPaths } from '../src/system/system-paths.ts';

test('the local relayer uses the configured key servers, but no other address of another network', async () => {
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
    const settings = (mine: NodeJS.ProcessEnv) =>
      relayerSettings(mine, ports, paths, dataDir, network, urls, access);
    const { environment, nodeFlags } = await settings(own);
    expect(nodeFlags).toEqual(['--max-semi-space-size=8']);
    expect(await settings({ ...own, NODE_OPTIONS: '--max-semi-space-size=4' })).toMatchObject({
      nodeFlags: [],
    });
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
    const limits = Object.entries(environment).filter(([name]) => name.includes('RATE_LIMIT'));
    expect(limits.map(([name, value]) => [name, value])).toEqual(
      variablesOf('relayer')
        .filter((name) => name.includes('RATE_LIMIT'))
        .map((name) => [name, 'off']),
    );
    const limited = await settings({ ...own, RATE_LIMIT_PER_MINUTE: '60' });
    expect(limited.environment).toMatchObject({ RATE_LIMIT_PER_MINUTE: '60', RATE_LIMIT_PER_HOUR: 'off' });
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

describe('every declared variable', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'memrelay-settings-'));
    const { localnet } = systemPaths(dataDir);
    await mkdir(localnet);
    await writeFile(join(localnet, 'sponsor.key'), 'a key');
  });
  afterAll(() => rm(dataDir, { recursive: true }));

  /** The environment of each part when every declared variable is set to a value with its name. */
  async function everySetting(): Promise<Record<string, NodeJS.ProcessEnv>> {
    const own = Object.fromEntries(knownVariables.map((name) => [name, `own ${name}`]));
    const paths = systemPaths(dataDir);
    const ports = { relayer: 1, sidecar: 2, localnet: 3, blobstore: 4, dashboard: 5 };
    const urls = { chain: 'http://127.0.0.1:3', blobstore: 'http://127.0.0.1:4' };
    const network = { packageId: '0xa', registryId: '0xb' } as LocalnetInfo;
    const access = localAccess({}, ports);
    const parts = [
      localnetSettings(own, ports, paths),
      blobstoreSettings(own, ports, paths, urls.chain, 'a key'),
      dashboardSettings(
        own,
        ports,
        paths,
        { packageId: network.packageId, delegatePublicKey: 'f'.repeat(64) },
        'a token',
      ),
      await relayerSettings(own, ports, paths, dataDir, network, urls, access),
    ];
    return Object.fromEntries(parts.map(({ name, environment }) => [name, environment]));
  }

  // ALLOWED_ORIGINS is merged with the origins of the dashboard, see above
  const names = (Object.keys(declaredVariables) as VariableName[]).filter(
    (name) => name !== 'ALLOWED_ORIGINS',
  );

  test('reaches only the parts that read it, unless the local system sets it', async () => {
    const settings = await everySetting();
    const wrong = names.flatMap((name) => {
      const { readBy, localSystem } = declaredVariables[name];
      return Object.keys(settings)
        .filter((part) => {
          const expected = localSystem !== 'decides' && readBy.includes(part as VariableReader);
          return (settings[part]?.[name] === `own ${name}`) !== expected;
        })
        .map((part) => `${name}: ${part}`);
    });
    expect(wrong).toEqual([]);
  });

  test('is also passed to the relayer if the sidecar reads it, because the relayer starts the sidecar', () => {
    const relayer: readonly string[] = variablesOf('relayer');
    expect(variablesOf('sidecar').filter((name) => !relayer.includes(name))).toEqual([]);
  });
});

test('a local system rejects a MEM_LISTEN_HOST at which its own parts could not reach the relayer', () => {
  for (const host of [undefined, '', '127.0.0.1', '0.0.0.0', '::'])
    expect(() => checkListenHost({ MEM_LISTEN_HOST: host })).not.toThrow();
  for (const host of ['192.0.2.1', '::1', 'laptop.example'])
    expect(() => checkListenHost({ MEM_LISTEN_HOST: host })).toThrow(/MEM_LISTEN_HOST must be/);
});
