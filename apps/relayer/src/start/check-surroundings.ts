import { createServer } from 'node:net';
import { ConfigError } from '../base/config/config-error.ts';
import type { Db } from '../base/db/db.ts';
import type { Config } from '../config/config.ts';
import { chainProblem } from './chain-problem.ts';
import { databaseLine, databaseProblem } from './database-problem.ts';
import { redisProblem } from './redis-problem.ts';

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
