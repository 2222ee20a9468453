import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRedis, startRedis } from '@memrelay/dev-env/services/redis';
import { createTestDatabase } from '@memrelay/dev-env/services/test-database';
import { freePort } from '@memrelay/protocol/free-ports-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Db } from '../src/db/db.ts';
import { openDatabase } from '../src/db/open-database.ts';
import { silent } from './support/auth-app.ts';
import { startTestNetwork, type TestNetwork } from './support/localnet-process.ts';
import { relayerEnvironment, startRefusal, startRelayerProcess } from './support/relayer-process.ts';

/** An operator's mistake is one line that names its variable, and nothing has been changed. */

const adminUrl = process.env.MEMRELAY_TEST_DATABASE_URL;
const someId = `0x${'5'.repeat(64)}`;

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
beforeAll(async () => {
  network = await startTestNetwork();
});
afterAll(() => network?.stop());

describe.each(kinds)('a relayer on an empty database on $name', ({ create }) => {
  let database: EmptyDatabase;
  beforeAll(async () => {
    database = await create();
  });
  afterAll(() => database?.drop());

  /** The line of the only problem; the database is as it was. */
  async function onlyProblem(more: Record<string, string>): Promise<string> {
    const lines = await startRefusal({ ...(await relayerEnvironment(network, database.url)), ...more });
    expect(lines, lines.join('\n')).toHaveLength(1);
    await expectEmpty(database.url);
    return lines[0]!.replace('memrelay relayer: ', '');
  }

  async function expectEmpty(url: string): Promise<void> {
    const db: Db = await openDatabase(url, silent);
    const { rows } = await db.query("SELECT to_regclass('schema_migration') AS found");
    await db.close();
    expect(rows).toEqual([{ found: null }]);
  }

  test('needs a package that is on chain', async () => {
    expect(await onlyProblem({ MEM_PACKAGE_ID: someId })).toMatch(/^MEM_PACKAGE_ID: there is no memrelay/);
  });

  test('needs a registry that is on chain, and is one', async () => {
    expect(await onlyProblem({ MEM_REGISTRY_ID: someId })).toMatch(/^MEM_REGISTRY_ID: there is no object/);
    const { systemObjectId } = network.info.walrus;
    expect(await onlyProblem({ MEM_REGISTRY_ID: systemObjectId })).toMatch(
      /^MEM_REGISTRY_ID: this object is not/,
    );
    const account = await network.account();
    expect(await onlyProblem({ MEM_REGISTRY_ID: account.id })).toMatch(
      /^MEM_REGISTRY_ID: this object is not/,
    );
  });

  test('needs a node that answers', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    expect(await onlyProblem({ CHAIN_RPC_URL: url })).toMatch(
      /^CHAIN_RPC_URL: no node of the chain can be reached/,
    );
  });

  test('needs as much weight as ENC_THRESHOLD asks for', async () => {
    expect(await onlyProblem({ ENC_THRESHOLD: '3' })).toMatch(/^ENC_THRESHOLD must be at most 2/);
  });

  test('needs key servers that are on chain', async () => {
    const servers = JSON.stringify([{ objectId: someId, weight: 1 }]);
    expect(await onlyProblem({ ENC_SERVER_CONFIGS: servers })).toMatch(
      /^ENC_SERVER_CONFIGS: the key servers cannot/,
    );
  });

  test('needs its ports', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    const { port } = holder.address() as { port: number };
    expect(await onlyProblem({ PORT: String(port) })).toBe(
      `PORT: port ${port} is taken; set PORT to a free one`,
    );
    expect(await onlyProblem({ SIDECAR_URL: `http://127.0.0.1:${port}` })).toMatch(
      /^SIDECAR_URL: its port is taken/,
    );
    holder.close();
  });

  test('needs the Redis that it was given', async () => {
    const url = `redis://user:password@127.0.0.1:${await freePort()}`;
    const problem = await onlyProblem({ REDIS_URL: url });
    expect(problem).toBe('REDIS_URL: Redis cannot be reached (ECONNREFUSED)');
  });

  test('needs Walrus objects that belong together', async () => {
    const { systemObjectId, stakingObjectId } = network.info.walrus;
    expect(await onlyProblem({ STORE_SYSTEM_OBJECT_ID: someId })).toMatch(
      /^STORE_SYSTEM_OBJECT_ID: there is no/,
    );
    expect(await onlyProblem({ STORE_SYSTEM_OBJECT_ID: stakingObjectId })).toMatch(
      /^STORE_SYSTEM_OBJECT_ID: /,
    );
    expect(await onlyProblem({ STORE_STAKING_OBJECT_ID: systemObjectId })).toMatch(
      /^STORE_STAKING_OBJECT_ID: /,
    );
    expect(await onlyProblem({ STORE_PACKAGE_ID: someId })).toMatch(
      /^STORE_PACKAGE_ID: the system object is of/,
    );
  });

  test('is told of several mistakes at once', async () => {
    const [port, redisPort] = [await freePort(), await freePort()];
    const holder = createServer().listen(port, '127.0.0.1');
    const lines = await startRefusal({
      ...(await relayerEnvironment(network, database.url)),
      MEM_REGISTRY_ID: someId,
      REDIS_URL: `redis://127.0.0.1:${redisPort}`,
      PORT: String(port),
    });
    holder.close();
    expect(lines[0]).toContain('the configuration is not usable');
    const names = lines.slice(1).map((line) => line.trim().split(':')[0]);
    expect(names.sort()).toEqual(['MEM_REGISTRY_ID', 'PORT', 'REDIS_URL']);
    await expectEmpty(database.url);
  });

  test('starts once they are corrected, and stops again when its secrets have changed', async () => {
    const environment = await relayerEnvironment(network, database.url);
    const part = await startRelayerProcess(environment);
    await part.stop();
    const others = await relayerEnvironment(network, database.url);
    const lines = await startRefusal(others);
    expect(lines.slice(1).map((line) => line.trim().split(' ')[0])).toEqual([
      'MEM_INDEX_KEY',
      'MEM_SERVER_SECRET',
      'MEM_WRITER_KEYS',
    ]);
    for (const line of lines.slice(1)) expect(line).toMatch(/set the former key|Add the former/);
  });
});

test('a database that cannot be reached, or does not let us in, is one line', async () => {
  const environment = await relayerEnvironment(
    network,
    `postgres://u:secret@127.0.0.1:${await freePort()}/x`,
  );
  expect(await startRefusal(environment)).toEqual([
    'memrelay relayer: DATABASE_URL: the database cannot be reached (ECONNREFUSED)',
  ]);
  if (!adminUrl) return;
  const missing = new URL(adminUrl);
  missing.pathname = '/there_is_none';
  expect(await startRefusal({ ...environment, DATABASE_URL: missing.href })).toEqual([
    'memrelay relayer: DATABASE_URL: there is no database of this name on the server',
  ]);
});

// Without a redis-server on the machine there is nothing to ask for a password
test.skipIf(!findRedis())('a Redis that wants another password is one line', async () => {
  const redis = await startRedis();
  const url = redis.url.replace('redis://', 'redis://:wrong@');
  const environment = await relayerEnvironment(network, 'postgres://127.0.0.1:1/x');
  const lines = await startRefusal({ ...environment, REDIS_URL: url });
  await redis.stop();
  expect(lines.join('\n')).toMatch(/REDIS_URL: Redis (refuses|cannot be reached)/);
  expect(lines.join('\n')).not.toContain('wrong@');
});
