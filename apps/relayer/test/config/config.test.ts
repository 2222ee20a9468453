import { knownVariables } from '@memrelay/protocol/variables';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Secp256k1Keypair } from '@mysten/sui/keypairs/secp256k1';
import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../src/base/config/config-error.ts';
import { type Environment, readVariables } from '../../src/base/config/read-config.ts';
import { loadConfig } from '../../src/config/config.ts';
import { enough, id, key } from './enough-variables.ts';

/** Names of the variables that are reported. */
function refused(environment: Environment): string[] {
  try {
    readVariables(environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map((problem) => problem.split(/[: ]/)[0]!).sort();
  }
  return [];
}

const withMore = (more: Environment): Environment => ({ ...enough, ...more });

describe('missing or invalid variables', () => {
  test('are reported all at once, by name', () => {
    expect(refused({})).toEqual(['DATABASE_URL', 'MEM_PACKAGE_ID', 'MEM_REGISTRY_ID', 'SIDECAR_AUTH_TOKEN']);
    expect(refused({ DATABASE_URL: 'postgres://x/y', PORT: '65536', CHAIN_NETWORK: 'devnet' })).toEqual([
      'CHAIN_NETWORK',
      'MEM_INDEX_KEY',
      'MEM_PACKAGE_ID',
      'MEM_REGISTRY_ID',
      'MEM_SERVER_SECRET',
      'MEM_WRITER_KEYS',
      'PORT',
      'SIDECAR_AUTH_TOKEN',
    ]);
  });

  test('are never echoed', () => {
    const marker = 'do not print me';
    const everything = Object.fromEntries(knownVariables.map((name) => [name, `${marker} ${name}`]));
    expect(() => readVariables(everything)).toThrow(ConfigError);
    try {
      readVariables(everything);
    } catch (error) {
      expect((error as Error).message).not.toContain(marker);
      expect((error as ConfigError).problems.length).toBeGreaterThan(35);
    }
  });

  test.each([
    ['DATABASE_URL', ['mysql://x', 'pglite:', 'localhost']],
    ['MEM_PACKAGE_ID', ['0x1', key('a'), `${id('a')}0`]],
    ['SIDECAR_AUTH_TOKEN', ['fifteen-letters', 'with a space in the middle', 'größer-als-16-buchstaben']],
    ['PORT', ['-1', '65536', '8e3', '0x50', '80.5', 'http']],
    ['SERVER_CHAIN_PRIVATE_KEY', ['0x12', `${key('1')},${key('2')}`, 'suiprivkey1qqqq', id('1')]],
    ['SERVER_CHAIN_PRIVATE_KEYS', [`${key('1')},nokey`, Secp256k1Keypair.generate().getSecretKey()]],
    ['LLM_API_BASE', ['api.openai.com', 'ftp://x']],
    ['LLM_API_KEY', ['two words', 'a\nb']],
    ['EMBEDDING_DIM', ['7', '16001', '1536.5']],
    ['LOG_FORMAT', ['xml']],
    ['RUST_LOG', ['garbage', 'memrelay_server=loud', 'hyper=info', ',']],
    ['MEM_DROPPED_SECRETS', ['all', key('1'), 'abc,def']],
    ['STORE_SYSTEM_OBJECT_ID', ['0x1', 'system']],
    ['STORE_STAKING_OBJECT_ID', ['0x1', 'staking']],
    ['CHAIN_NETWORK', ['devnet', 'Mainnet']],
    ['STORE_AGGREGATOR_URLS', ['http://a.example,nonsense']],
    ['STORE_AGGREGATOR_RACE_AFTER_MS', ['-1', '60001', 'soon']],
    ['STORE_SKIP_CONSISTENCY_CHECK', ['yes', '2']],
    ['STORE_EPOCHS', ['0', '54']],
    ['BLOB_CACHE_TTL_SECS', ['-1', '1d']],
    ['BLOB_CACHE_MAX_BYTES', ['1k', '1073741825']],
    ['SEARCH_CACHE_MAX_BYTES', ['-1', '128M']],
    ['REDIS_URL', ['http://localhost:6379', 'localhost:6379']],
    ['MEM_SERVER_SECRET', [key('1').slice(1), `${key('1')},`, 'password']],
    ['MEM_INDEX_KEY', [`${key('1')},${key('2')}`]],
    ['ALLOWED_ORIGINS', ['*', 'localhost:5173', 'http://a.example,x']],
    ['TRUSTED_PROXY_HOPS', ['17', 'all']],
    [
      'MEM_LISTEN_HOST',
      ['0.0.0.0:8000', 'http://0.0.0.0', '256.1.1.1', '1.2.3', '[::1', ':::1', 'two words', '*', '-a', 'a/b'],
    ],
    [
      'ALLOWED_HOSTS',
      [
        '*',
        '*.example.com',
        'https://a.example',
        'a.example/x',
        'a.example,u@b.example',
        'a.example:x',
        '::1',
        ',',
      ],
    ],
    [
      'PUBLIC_RELAYER_URL',
      ['http://a.example', 'https://a.example/relayer', 'https://u@a.example', 'a.example'],
    ],
    ['PUBLIC_DASHBOARD_URL', ['http://a.example', 'https://a.example/?x', 'https://a.example/#x']],
    ['UPLOAD_CONCURRENCY', ['0', '257']],
    ['SIDECAR_WATCHDOG_INTERVAL_SECS', ['0']],
    ['ENC_SERVER_CONFIGS', ['{}', '[]', '[{"objectId":"x"}]', `[{"objectId":"${id('1')}","weight":0}]`]],
    ['ENC_SERVER_CONFIGS', [`[{"objectId":"${id('1')}","weight":1,"apiKey":"alone"}]`]],
    ['ENC_KEY_SERVERS', ['0x1,two']],
    ['ENC_THRESHOLD', ['0', '255', '1.5', '3']],
    ['ENC_HISTORICAL_SETS', ['{}', '[{"servers":[],"threshold":1}]', `[{"objectId":"${id('1')}"}]`]],
    ['ENC_HISTORICAL_SETS', [`[{"servers":[{"objectId":"${id('1')}","weight":1}],"threshold":2}]`]],
    ['METRICS_PORT', ['0', 'nine']],
    ['MCP_MAX_TOTAL_SESSIONS', ['0', '-1', 'many']],
    // A bulk write costs 10
    ['RATE_LIMIT_PER_MINUTE', ['0', 'none', '-1', '9', '1.5', '1e3']],
    ['RATE_LIMIT_PER_HOUR', ['0', '9', 'OFF']],
    ['RATE_LIMIT_KEY_PER_MINUTE', ['0', '9', 'false']],
    ['RATE_LIMIT_STORAGE_BYTES', ['0', '1 GiB', '-1']],
    ['SPONSOR_NETWORK', ['devnet']],
    ['ALERT_TO_SLACK', ['#channel']],
  ] as const)('%s rejects invalid values', (name, values) => {
    for (const value of values) expect(refused(withMore({ [name]: value })), value).toEqual([name]);
  });
});

describe('accepted values', () => {
  test.each([
    [{}, '127.0.0.1', []],
    [{ MEM_LISTEN_HOST: '::' }, '::', []],
    [{ MEM_LISTEN_HOST: '[::1]' }, '::1', []],
    [{ MEM_LISTEN_HOST: 'relayer-1.internal' }, 'relayer-1.internal', []],
    [
      { ALLOWED_HOSTS: 'A.example, b.example.:8443 ,[::1]:8000' },
      '127.0.0.1',
      ['A.example', 'b.example.:8443', '[::1]:8000'],
    ],
  ])('MEM_LISTEN_HOST and ALLOWED_HOSTS accept %o', async (set, listenHost, allowedHosts) => {
    const { config } = await loadConfig(withMore(set));
    expect(config).toMatchObject({ listenHost, allowedHosts });
  });

  test('starts with the minimum environment, using the specified defaults', async () => {
    const { config, warnings } = await loadConfig(enough);
    expect(config).toMatchObject({
      port: 8000,
      network: 'mainnet',
      redisUrl: undefined,
      chainRpcUrl: 'https://fullnode.mainnet.sui.io:443',
      sidecar: { watchdog: { intervalMs: 30_000, timeoutMs: 2_000, maxFailures: 6 } },
      aggregators: {
        urls: ['https://aggregator.walrus-mainnet.walrus.space'],
        raceAfterMs: 150,
        skipConsistencyCheck: false,
      },
      blobCache: { ttlSeconds: 1_209_600, maxBlobBytes: 524_288 },
      storeEpochs: 2,
      embedding: { model: 'text-embedding-3-small', dimension: 1536, cacheTtlSeconds: 600, allowMock: false },
      uploadConcurrency: 8,
      allowedOrigins: [],
      log: { filter: 'memrelay_server=info,tower_http=info', format: 'pretty' },
    });
    expect(warnings.join()).toContain('no public publisher serves mainnet');
    expect(warnings.join()).toContain('llm_not_configured');
  });

  test('treats empty and blank values as unset', async () => {
    const names = knownVariables.filter((name) => !(name in enough));
    const blank = Object.fromEntries(names.map((name, i) => [name, i % 2 === 0 ? '' : ' \n']));
    expect((await loadConfig(withMore(blank))).config).toEqual((await loadConfig(enough)).config);
    expect(refused(withMore({ MEM_PACKAGE_ID: ' ' }))).toEqual(['MEM_PACKAGE_ID']);
  });

  test('trims white space around values, as left by a file that a shell reads', async () => {
    const { config } = await loadConfig(
      withMore({ PORT: ' 8001\n', SIDECAR_AUTH_TOKEN: ' a-token-of-16-up\n' }),
    );
    expect(config).toMatchObject({ port: 8001, sidecar: { token: 'a-token-of-16-up' } });
  });

  test.each([
    ['true', true],
    ['1', true],
    ['TRUE', true],
    ['false', false],
    ['0', false],
  ])('a flag may be %s', (value, expected) => {
    const { values } = readVariables(withMore({ STORE_SKIP_CONSISTENCY_CHECK: value }));
    expect(values.STORE_SKIP_CONSISTENCY_CHECK).toBe(expected);
  });

  test('takes defaults from the network, which explicit values override', async () => {
    const testnet = await loadConfig(withMore({ CHAIN_NETWORK: 'testnet' }));
    expect(testnet.config).toMatchObject({
      chainRpcUrl: 'https://fullnode.testnet.sui.io:443',
      storeEpochs: 50,
    });
    const own = await loadConfig(
      withMore({
        CHAIN_RPC_URL: 'http://keyed.example',
        STORE_AGGREGATOR_URL: 'http://first.example',
        STORE_AGGREGATOR_URLS: ' http://second.example ,, http://third.example',
        STORE_AGGREGATOR_RACE_AFTER_MS: '0',
        STORE_EPOCHS: '53',
        BLOB_CACHE_TTL_SECS: '0',
      }),
    );
    expect(own.config).toMatchObject({
      chainRpcUrl: 'http://keyed.example',
      publicChainRpcUrl: 'https://fullnode.mainnet.sui.io:443',
      aggregators: {
        urls: ['http://first.example', 'http://second.example', 'http://third.example'],
        raceAfterMs: 0,
      },
      storeEpochs: 53,
      blobCache: { ttlSeconds: 0 },
    });
  });

  test('publishes a chain address to clients only if it cannot contain a key', async () => {
    const publishedAddress = async (more: Environment) => {
      const { config } = await loadConfig(withMore({ CHAIN_NETWORK: 'testnet', ...more }));
      return config.publicChainRpcUrl;
    };
    const ours = 'https://fullnode.testnet.sui.io:443';
    expect(await publishedAddress({})).toBe(ours);
    expect(await publishedAddress({ CHAIN_RPC_URL: 'https://node.example/v1/secret-key' })).toBe(ours);
    expect(await publishedAddress({ CHAIN_RPC_URL: 'https://node.example' })).toBe(ours);
    expect(await publishedAddress({ CHAIN_RPC_URL: 'http://127.0.0.1:9100/?key=secret' })).toBe(ours);
    expect(await publishedAddress({ CHAIN_RPC_URL: 'http://user:secret@localhost:9100' })).toBe(ours);
    expect(await publishedAddress({ CHAIN_RPC_URL: 'http://127.0.0.1:9100' })).toBe('http://127.0.0.1:9100');
    expect(
      await publishedAddress({
        CHAIN_RPC_URL: 'http://127.0.0.1:9100',
        PUBLIC_CHAIN_RPC_URL: 'https://a.example',
      }),
    ).toBe('https://a.example');
  });

  test('accepts allowed origins as a browser writes them', async () => {
    const { config } = await loadConfig(
      withMore({ ALLOWED_ORIGINS: 'HTTP://LocalHost:5173/,https://a.example:443' }),
    );
    expect(config.allowedOrigins).toEqual(['http://localhost:5173', 'https://a.example']);
  });

  test.each([
    ['off', undefined, 50_000],
    ['4000', undefined, 1_000],
    ['40', undefined, 20],
    ['4000', '3000', 3_000],
    ['4000', 'off', Number.POSITIVE_INFINITY],
  ])('with %s jobs in total and %s per account, an account may have %s', async (inAll, own, expected) => {
    const { config } = await loadConfig(
      withMore({
        MEM_MAX_PENDING_JOBS: inAll,
        ...(own === undefined ? {} : { MEM_MAX_PENDING_JOBS_PER_ACCOUNT: own }),
      }),
    );
    expect(config.jobs.backlog.perAccount).toBe(expected);
  });

  test('limits requests and bytes of owners and keys unless they are off', async () => {
    const { config } = await loadConfig(withMore({}));
    expect(config.requestLimits).toEqual({ keyPerMinute: 300, ownerPerMinute: 600, ownerPerHour: 20_000 });
    expect(config.maxStoredBytes).toBe(1_073_741_824);

    const off = ['KEY_PER_MINUTE', 'PER_MINUTE', 'PER_HOUR', 'STORAGE_BYTES'].map(
      (name) => [`RATE_LIMIT_${name}`, 'off'] as const,
    );
    const unlimited = (await loadConfig(withMore(Object.fromEntries(off)))).config;
    expect([...Object.values(unlimited.requestLimits), unlimited.maxStoredBytes]).toEqual(
      Array(4).fill(Infinity),
    );
  });

  test('serves no metrics unless their port is set', async () => {
    expect((await loadConfig(withMore({}))).config.metricsPort).toBeUndefined();
    expect((await loadConfig(withMore({ METRICS_PORT: '9464' }))).config.metricsPort).toBe(9_464);
  });

  test('requires the public URLs of relayer and dashboard together', async () => {
    const both = {
      PUBLIC_RELAYER_URL: 'https://m.example/',
      PUBLIC_DASHBOARD_URL: 'https://d.example/page/',
    };
    const { config, warnings } = await loadConfig(withMore(both));
    expect(config.oauth).toEqual({ issuer: 'https://m.example', dashboardUrl: 'https://d.example/page' });
    expect(config.allowedOrigins).toEqual(['https://d.example']);
    expect(warnings.filter((warning) => warning.includes('PUBLIC_'))).toEqual([]);
    const one = await loadConfig(withMore({ PUBLIC_RELAYER_URL: 'http://127.0.0.1:8000' }));
    expect(one.config.oauth).toBeUndefined();
    expect(one.warnings.join()).toContain('PUBLIC_DASHBOARD_URL');
  });

  test('accepts a server key in both formats, and keeps its private half out of the configuration', async () => {
    const pair = Ed25519Keypair.generate();
    const { config, warnings } = await loadConfig(
      withMore({ SERVER_CHAIN_PRIVATE_KEY: pair.getSecretKey(), SERVER_CHAIN_PRIVATE_KEYS: '' }),
    );
    expect(config.serverAddress).toBe(pair.toSuiAddress());
    expect(JSON.stringify(config)).not.toContain(pair.getSecretKey());
    expect(warnings.join()).not.toContain('publisher');
    const hex = await loadConfig(withMore({ SERVER_CHAIN_PRIVATE_KEY: key('c') }));
    expect(hex.config.serverAddress).toMatch(/^0x[0-9a-f]{64}$/);
  });

  test('accepts lists of secrets, newest first', async () => {
    const { config } = await loadConfig(withMore({ MEM_SERVER_SECRET: `${key('4')},${key('1')}` }));
    expect(config.secrets.serverSecrets.map((secret) => secret.toString('hex'))).toEqual([
      key('4'),
      key('1'),
    ]);
  });
});

describe('warnings', () => {
  test("name our variable if only the original system's is set, and never use its value", () => {
    const theirs = {
      OPENAI_API_KEY: 'sk-for-another-program',
      SUI_NETWORK: 'testnet',
      MEMWAL_PACKAGE_ID: id('c'),
      SEAL_UNKNOWN: 'x',
      ENOKI_API_KEY: '',
    };
    const { values, warnings } = readVariables(withMore(theirs));
    expect(values.LLM_API_KEY).toBeUndefined();
    expect(warnings).toEqual([
      'OPENAI_API_KEY is set but not read here: the variable is LLM_API_KEY',
      'SUI_NETWORK is set but not read here: the variable is CHAIN_NETWORK',
    ]);
    const { MEM_PACKAGE_ID: _, ...without } = withMore({
      ...theirs,
      LLM_API_KEY: 'k',
      CHAIN_NETWORK: 'mainnet',
    });
    expect(refused(without)).toEqual(['MEMWAL_PACKAGE_ID', 'MEM_PACKAGE_ID']);
  });

  test('name an unknown variable of ours and the most similar known one', () => {
    const { warnings } = readVariables(
      withMore({ MEM_PACKAGE_IDS: 'x', STORE_AGREGATOR_URL: 'x', MEM_QUITE_ANOTHER_THING: 'x', OTHER: 'x' }),
    );
    expect(warnings.sort()).toEqual([
      'MEM_PACKAGE_IDS is not a known variable; did you mean MEM_PACKAGE_ID?',
      expect.stringMatching(/^MEM_QUITE_ANOTHER_THING is not a known variable/),
      'STORE_AGREGATOR_URL is not a known variable; did you mean STORE_AGGREGATOR_URL?',
    ]);
  });

  test.each([
    [undefined, true],
    ['on', true],
    ['off', false],
  ])('enables the blind index by default', (value, on) => {
    expect(readVariables(withMore({ MEM_BLIND_INDEX: value })).values.MEM_BLIND_INDEX).toBe(on);
  });

  test('know every variable of the contract', () => {
    const { warnings } = readVariables(
      withMore({ MEM_SERVER_URL: 'x', MEM_BLIND_INDEX: 'off', MCP_EXTRA_TOOLS: '1' }),
    );
    expect(warnings).toEqual([]);
  });

  test('name settings of traces where no collector is set', async () => {
    const OTEL_BSP_SCHEDULE_DELAY = '100';
    expect(readVariables(withMore({ OTEL_BSP_SCHEDULE_DELAY })).warnings).toEqual([
      'OTEL_BSP_SCHEDULE_DELAY has no effect without OTEL_EXPORTER_OTLP_ENDPOINT',
    ]);
    const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
    expect(readVariables(withMore({ OTEL_BSP_SCHEDULE_DELAY, ...collector })).warnings).toEqual([]);
  });

  test('name unknown targets in RUST_LOG', () => {
    const { warnings } = readVariables(withMore({ RUST_LOG: 'memwal_server=info,tower_http=info' }));
    expect(warnings).toEqual([
      'RUST_LOG: memwal_server is not a part of this server, so that it has no effect',
    ]);
  });

  test('the deprecated list of key servers', async () => {
    const { warnings } = await loadConfig(withMore({ ENC_KEY_SERVERS: id('1') }));
    expect(warnings).toContain('ENC_KEY_SERVERS is deprecated; use ENC_SERVER_CONFIGS');
  });
});
