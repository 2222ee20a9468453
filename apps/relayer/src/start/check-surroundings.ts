import { createServer } from 'node:net';
import { findPackageProblem } from '@memrelay/chain/account-package';
import { createChainClient } from '@memrelay/chain/chain-client';
import { createClient } from '@redis/client';
import { ConfigError } from '../base/config/config-error.ts';
import type { Db } from '../base/db/db.ts';
import { inTime } from '../base/redis/in-time.ts';
import type { Config } from '../config/config.ts';
import { answerMs, codeOf, databaseLine, databaseProblem } from './database-problem.ts';

export interface Surroundings {
  config: Pick<
    Config,
    | 'databaseUrl'
    | 'redisUrl'
    | 'port'
    | 'metricsPort'
    | 'listenHost'
    | 'network'
    | 'chainRpcUrl'
    | 'packageId'
    | 'registryId'
  >;
  openDatabase(): Promise<Db>;
  /** Everything but the database is in order; an embedded one takes a second to open */
  onOthersChecked?(): void;
}

/**
 * Checks all dependencies of the relayer before anything is changed: database, Redis, node, package, registry, port.
 * Returns the open database. Throws `ConfigError` with one line per problem, each beginning with its variable.
 */
export async function checkSurroundings(surroundings: Surroundings): Promise<Db> {
  const { config, openDatabase, onOthersChecked } = surroundings;
  let db: Db | undefined;
  const others = Promise.all([
    config.redisUrl === undefined ? undefined : redisProblem(config.redisUrl),
    chainProblem(config),
    portProblem('PORT', config.port, config.listenHost),
    config.metricsPort === undefined
      ? undefined
      : portProblem('METRICS_PORT', config.metricsPort, config.listenHost),
  ]).then((problems) => {
    if (problems.every((problem) => problem === undefined)) onOthersChecked?.();
    return problems;
  });
  const [problem, further] = await Promise.all([
    openDatabase().then(
      async (opened) => {
        db = opened;
        return await databaseProblem(opened);
      },
      (error: unknown) => databaseLine(error),
    ),
    others,
  ]);
  const found = [problem, ...further].filter((each) => each !== undefined);
  if (found.length === 0) return db!;
  await db?.close();
  throw new ConfigError(found);
}

async function redisProblem(url: string): Promise<string | undefined> {
  const client = createClient({
    url,
    socket: { connectTimeout: answerMs, reconnectStrategy: false },
  }).on('error', () => undefined);
  try {
    await inTime(
      client.connect().then(() => client.ping()),
      answerMs,
    );
    return undefined;
  } catch (error) {
    // A Redis error begins with its code, such as `WRONGPASS` or `NOAUTH`
    const refusal = /^(WRONGPASS|NOAUTH|NOPERM)\b/.exec((error as Error).message)?.[1];
    return refusal
      ? `REDIS_URL: Redis refuses this user or password (${refusal})`
      : `REDIS_URL: Redis cannot be reached (${codeOf(error)})`;
  } finally {
    client.destroy();
  }
}

async function chainProblem(config: Surroundings['config']): Promise<string | undefined> {
  const { network, chainRpcUrl, packageId, registryId } = config;
  const chain = createChainClient({ network, baseUrl: chainRpcUrl });
  try {
    const problem = await findPackageProblem(chain, packageId, registryId);
    if (!problem) return undefined;
    const variable = problem.id === 'package' ? 'MEM_PACKAGE_ID' : 'MEM_REGISTRY_ID';
    return `${variable}: ${problem.message} on the chain that CHAIN_RPC_URL leads to (CHAIN_NETWORK is ${network})`;
  } catch {
    return `CHAIN_RPC_URL: no node of the chain can be reached there (CHAIN_NETWORK is ${network})`;
  }
}

function portProblem(name: string, port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer()
      .once('error', ({ code }: NodeJS.ErrnoException) =>
        resolve(
          code === 'EADDRINUSE'
            ? `${name}: port ${port} is taken; set ${name} to a free one`
            : `${name}: port ${port} cannot be used (${code})`,
        ),
      )
      .once('listening', () => probe.close(() => resolve(undefined)));
    probe.listen(port, host);
  });
}
