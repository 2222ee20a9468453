import { createServer } from 'node:net';
import { findPackageProblem } from '@memrelay/chain/account-package';
import { createChainClient } from '@memrelay/chain/chain-client';
import { DirectoryLockedError } from '@memrelay/process/dir-lock';
import { ApiError } from '@memrelay/protocol/errors';
import { createClient } from '@redis/client';
import { ConfigError } from '../base/config/config-error.ts';
import type { Db } from '../base/db/db.ts';
import { pingDatabase } from '../base/db/ping.ts';
import { inTime } from '../base/redis/in-time.ts';
import type { Config } from '../config/config.ts';

/** Timeout for the database and Redis; chain calls have a separate timeout */
const answerMs = 6_000;

export interface Surroundings {
  config: Pick<
    Config,
    | 'databaseUrl'
    | 'redisUrl'
    | 'port'
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
    portProblem(config.port, config.listenHost),
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
      (error: unknown) => `DATABASE_URL: ${databaseReason(error)}`,
    ),
    others,
  ]);
  const found = [problem, ...further].filter((each) => each !== undefined);
  if (found.length === 0) return db!;
  await db?.close();
  throw new ConfigError(found);
}

async function databaseProblem(db: Db): Promise<string | undefined> {
  try {
    await inTime(pingDatabase(db), answerMs);
    return undefined;
  } catch (error) {
    return `DATABASE_URL: ${databaseReason(error)}`;
  }
}

/** Postgres, appendix A */
const refusals: Readonly<Record<string, string>> = {
  '28P01': 'the server refuses this user or password',
  '28000': 'the server refuses this user or password',
  '3D000': 'there is no database of this name on the server',
  '53300': 'the server has no free connections',
};

/** Uses our own text, because the server's message may repeat parts of the URL. */
function databaseReason(error: unknown): string {
  if (error instanceof DirectoryLockedError) return error.message;
  const cause = error instanceof ApiError ? error.cause : error;
  const code = codeOf(cause);
  return refusals[code] ?? `the database cannot be reached (${code})`;
}

function codeOf(error: unknown): string {
  const { code, name } = error as { code?: string; name?: string };
  return code ?? name ?? 'no answer';
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

function portProblem(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer()
      .once('error', ({ code }: NodeJS.ErrnoException) =>
        resolve(
          code === 'EADDRINUSE'
            ? `PORT: port ${port} is taken; set PORT to a free one`
            : `PORT: port ${port} cannot be used (${code})`,
        ),
      )
      .once('listening', () => probe.close(() => resolve(undefined)));
    probe.listen(port, host);
  });
}
