import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRedis, startRedis } from '@memrelay/dev-env/services/redis';
import { createTestDatabase } from '@memrelay/dev-env/services/test-database';
import { freePort } from '@memrelay/process/free-ports';
import { createClient } from '@redis/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigError } from '../../src/base/config/config-error.ts';
import { openDatabase } from '../../src/base/db/open-database.ts';
import { checkSurroundings, type Surroundings } from '../../src/start/check-surroundings.ts';
import { silent } from '../support/auth-app.ts';
import { startTestNetwork, type TestNetwork } from '../support/localnet-process.ts';
import { relayerEnvironment, startRefusal, startRelayerProcess } from '../support/relayer-process.ts';

/** A configuration mistake is reported in one line that names its variable, before anything is changed. */

const adminUrl = process.env.MEMRELAY_TEST_DATABASE_URL;
const someId = `0x${'5'.repeat(64)}`;
const processMs = 300_000;

interface EmptyDatabase {
  url: string;
  drop(): Promise<unknown>;
}
const kinds: { name: string; create: () => Promise<EmptyDatabase> }[] = [
  ...(adminUrl ? [{ name: 'postgres', create: () => createTestDatabase(adminUrl) }] : []),
  {
    name: 'pglite',
    async create() {
      const directory = await mkdtemp(join(tmpdir(), 'memrelay-boot-'));
      return { url: `pglite:${directory}`, drop: () => rm(directory, { recursive: true, force: true }) };
    },
  },
];

let network: TestNetwork;
let database: EmptyDatabase;
beforeAll(async () => {
  [network, database] = await Promise.all([startTestNetwork(), kinds[0]!.create()]);
});
afterAll(async () => {
  await Promise.all([network?.stop(), database?.drop()]);
});

async function takenPort(): Promise<{ port: number; free(): void }> {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as { port: number };
  return { port, free: () => void holder.close() };
}

describe('before anything is changed, a relayer checks', () => {
  /** The error of a boot in this environment. */
  async function problems(more: Partial<Surroundings['config']> = {}): Promise<readonly string[]> {
    const config = {
      databaseUrl: database.url,
      redisUrl: undefined,
      port: 0,
      metricsPort: undefined,
      listenHost: '127.0.0.1',
      network: 'localnet' as const,
      chainRpcUrl: network.url,
      packageId: network.info.packageId,
      registryId: network.info.registryId,
      ...more,
    };
    try {
      const db = await checkSurroundings({
        config,

        openDatabase: () => openDatabase(config.databaseUrl, silent),
      });
      await db.close();
      return [];
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return error.problems;
    }
  }

  test('the package and its registry', async () => {
    expect(await problems()).toEqual([]);
    expect(await problems({ packageId: someId })).toEqual([
      expect.stringMatching(/^MEM_PACKAGE_ID: there is no memrelay account package with this id/),
    ]);
    const { systemObjectId, packageId } = network.info.walrus;
    expect(await problems({ packageId })).toEqual([expect.stringMatching(/^MEM_PACKAGE_ID: /)]);
    expect(await problems({ registryId: someId })).toEqual([
      expect.stringMatching(/^MEM_REGISTRY_ID: there is no object with this id/),
    ]);
    const account = await network.account();
    for (const registryId of [systemObjectId, account.id, network.info.packageId])
      expect(await problems({ registryId })).toEqual([expect.stringMatching(/^MEM_REGISTRY_ID: /)]);
  });

  test('the node', async () => {
    const chainRpcUrl = `http://127.0.0.1:${await freePort()}/a-secret-key`;
    expect(await problems({ chainRpcUrl })).toEqual([
      'CHAIN_RPC_URL: no node of the chain can be reached there (CHAIN_NETWORK is localnet)',
    ]);
  });

  test('the port', async () => {
    const { port, free } = await takenPort();
    expect(await problems({ port })).toEqual([`PORT: port ${port} is taken; set PORT to a free one`]);
    expect(await problems({ metricsPort: port })).toEqual([
      `METRICS_PORT: port ${port} is taken; set METRICS_PORT to a free one`,
    ]);
    free();
    expect(await problems({ port })).toEqual([]);
  });

  test('the database', async () => {
    const databaseUrl = `postgres://u:secret@127.0.0.1:${await freePort()}/x`;
    expect(await problems({ databaseUrl })).toEqual([
      'DATABASE_URL: the database cannot be reached (ECONNREFUSED)',
    ]);
    if (!adminUrl) return;
    const missing = new URL(adminUrl);
    missing.pathname = '/there_is_none';
    expect(await problems({ databaseUrl: missing.href })).toEqual([
      'DATABASE_URL: there is no database of this name on the server',
    ]);
  });

  // Skipped without a redis-server, which would have to ask for a password
  test.skipIf(!findRedis())('Redis', async () => {
    const redisUrl = `redis://user:password@127.0.0.1:${await freePort()}`;
    expect(await problems({ redisUrl })).toEqual(['REDIS_URL: Redis cannot be reached (ECONNREFUSED)']);
    const redis = await startRedis();
    const client = await createClient({ url: redis.url }).connect();
    expect(await problems({ redisUrl: redis.url })).toEqual([]);
    await client.configSet('requirepass', 'right');
    client.destroy();
    for (const user of ['', ':wrong@'])
      expect(await problems({ redisUrl: redis.url.replace('redis://', `redis://${user}`) })).toEqual([
        expect.stringMatching(/^REDIS_URL: Redis refuses this user or password \((NOAUTH|WRONGPASS)\)$/),
      ]);
    await redis.stop();
  });
});

describe.each(kinds)('a relayer process on an empty database on $name', ({ create }) => {
  let empty: EmptyDatabase;
  beforeAll(async () => {
    empty = await create();
  });
  afterAll(() => empty?.drop());

  async function expectEmpty(): Promise<void> {
    const db = await openDatabase(empty.url, silent);
    const { rows } = await db.query("SELECT to_regclass('schema_migration') AS found");
    await db.close();
    expect(rows).toEqual([{ found: null }]);
  }

  test(
    'reports several mistakes at once, without a stack trace, and changes nothing',
    async () => {
      const { port, free } = await takenPort();
      const lines = await startRefusal({
        ...(await relayerEnvironment(network, empty.url)),
        MEM_REGISTRY_ID: someId,
        REDIS_URL: `redis://127.0.0.1:${await freePort()}`,
        PORT: String(port),
      });
      free();
      expect(lines[0]).toBe('memrelay relayer: the configuration is not usable:');
      const names = lines.slice(1).map((line) => line.trim().split(':')[0]);
      expect(names.sort()).toEqual(['MEM_REGISTRY_ID', 'PORT', 'REDIS_URL']);
      await expectEmpty();
    },
    processMs,
  );

  test.each([
    ['ENC_THRESHOLD', '3', /^ENC_THRESHOLD must be at most 2, the weight of all key servers/],
    [
      'ENC_SERVER_CONFIGS',
      JSON.stringify([{ objectId: someId, weight: 1 }]),
      /^ENC_SERVER_CONFIGS: contains a key server that does not exist on CHAIN_NETWORK/,
    ],
    ['STORE_PACKAGE_ID', someId, /^STORE_PACKAGE_ID: the system object is of package/],
    ['RUST_LOG', 'garbage', /^RUST_LOG: must be level or target=level/],
  ])(
    'reports %s in one line',
    async (name, value, expected) => {
      const environment = { ...(await relayerEnvironment(network, empty.url)), [name]: value };
      const lines = await startRefusal(environment);
      expect(lines, lines.join('\n')).toHaveLength(1);
      expect(lines[0]!.replace('memrelay relayer: ', '')).toMatch(expected);
      await expectEmpty();
    },
    processMs,
  );

  test(
    'starts once they are corrected, warns of unused settings, and stops when its secrets have changed',
    async () => {
      const part = await startRelayerProcess({
        ...(await relayerEnvironment(network, empty.url)),
        OTEL_SERVICE_NAME: 'memory',
        RUST_LOG: 'memwal_server=info,tower_http=info',
      });
      await part.stop();
      expect(part.log()).toContain('OTEL_SERVICE_NAME has no effect without');
      expect(part.log()).toContain('memwal_server is not a part of this server');
      const written = await startRefusal(await relayerEnvironment(network, empty.url));
      // Without the sidecar's log, which had started
      const lines = written.filter((line) => !line.startsWith('{'));
      expect(lines.slice(1).map((line) => line.trim().split(' ')[0])).toEqual([
        'MEM_INDEX_KEY',
        'MEM_SERVER_SECRET',
        'MEM_WRITER_KEYS',
      ]);
      for (const line of lines.slice(1)) expect(line).toMatch(/set the former key|Add the former/);
    },
    processMs,
  );
});
