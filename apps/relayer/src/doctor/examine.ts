import { ConfigError } from '../base/config/config-error.ts';
import type { Db } from '../base/db/db.ts';
import { openDatabase } from '../base/db/open-database.ts';
import { createLoggers } from '../base/logging/loggers.ts';
import { type Config, loadConfig } from '../config/config.ts';
import { chainProblem } from '../start/chain-problem.ts';
import { databaseLine, databaseProblem } from '../start/database-problem.ts';
import { databaseChecks } from './database-checks.ts';
import { type Finding, failed, ok, warning } from './finding.ts';
import { aggregatorChecks } from './http-checks.ts';
import { diskChecks, fileChecks } from './machine-checks.ts';
import { redisChecks } from './redis-checks.ts';
import { sidecarChecks } from './sidecar-checks.ts';

/**
 * Checks the settings of a relayer and everything it depends on, and yields the findings. It changes nothing, and may run
 * next to the relayer, unless the database is embedded: that has one user at a time.
 */
export async function* examine(
  environment: NodeJS.ProcessEnv,
  configFile: string | undefined,
): AsyncGenerator<Finding> {
  const dataDir = environment.MEM_DATA_DIR?.trim() || undefined;
  yield* await fileChecks({ configFile, dataDir });
  const loaded = await configChecks(environment);
  yield* loaded.findings;
  const { config } = loaded;
  if (!config) return;
  yield* await diskChecks({ databaseUrl: config.databaseUrl, dataDir });
  yield* await openedDatabaseChecks(config);
  yield* await redisChecks(config.redisUrl);
  const chain = await chainProblem(config);
  yield chain
    ? failed('chain', chain, 'correct this variable, or check the connection to the node', 'unreachable')
    : ok('chain', `a node of ${config.network} answers, and has the package and the registry`);
  yield* await aggregatorChecks(config.aggregators.urls);
  if (!chain) yield* await sidecarChecks(config, environment);
}

async function configChecks(
  environment: NodeJS.ProcessEnv,
): Promise<{ config?: Config; findings: Finding[] }> {
  const check = 'settings';
  try {
    const { config, warnings } = await loadConfig(environment);
    const findings = warnings.map((text) => warning(check, text, 'see docs/configuration.md'));
    return { config, findings: findings.length > 0 ? findings : [ok(check, 'complete and valid')] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return {
      findings: error.problems.map((problem) =>
        failed(check, problem, 'correct this variable; memrelay relayer --help lists the values', 'settings'),
      ),
    };
  }
}

async function openedDatabaseChecks({ databaseUrl }: Config): Promise<Finding[]> {
  let db: Db | undefined;
  try {
    db = await openDatabase(databaseUrl, createLoggers({ filter: 'off', format: 'json' }).database);
    const problem = await databaseProblem(db);
    return problem ? [unreachable(problem)] : await databaseChecks(db);
  } catch (error) {
    return [unreachable(databaseLine(error))];
  } finally {
    await db?.close();
  }
}

const unreachable = (problem: string): Finding =>
  failed(
    'database',
    problem.replace(/^DATABASE_URL: /, ''),
    'check that the database runs and that DATABASE_URL is right',
    'unreachable',
  );
