/**
 * `npm test`: every check and test. Starts a Postgres and a Redis for the run, then runs the checks, all tests, and
 * the end-to-end tests a second time on the embedded defaults (`MEMRELAY_TEST_BACKEND`), all in parallel: the long
 * files mostly wait for other processes.
 *
 * Arguments are passed to vitest. With one that is not an option (`npm test -- packages/protocol`) only vitest runs.
 */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type ProvidedServices, provideServices } from '../testing/src/services/provide.ts';
import { provideRunDirectory } from '../testing/src/services/run-directory.ts';
import { printChecks } from './checks/print-checks.ts';
import { runChecks } from './checks/run-checks.ts';
import { runVitest, type VitestRun } from './testing/run-vitest.ts';
import type { SuiteResult } from './testing/suite-result.ts';
import { summarize } from './testing/summary.ts';

const endToEnd = 'testing/test/e2e/';
/**
 * End-to-end tests that run only on Postgres. They test processes, chain, blobs, sponsor and permissions, which do not depend on
 * the database, or only on statements that the relayer's own tests run on both databases.
 */
const onPostgresAlone = [
  'access',
  'account-owner',
  'alerts',
  'analyze-and-ask',
  'audit',
  'background-work',
  'backup',
  'behind-nginx',
  'context-fields',
  'core-dumps',
  'cost',
  'dashboard',
  'dashboard-keys',
  'dashboard-pages',
  'dashboard-work',
  'expired-delegates',
  'export-import',
  'faults',
  'foreign-page',
  'frameworks',
  'hit-context',
  'isolation',
  'key-rewrap',
  'key-servers',
  'listed-texts',
  'listen-host',
  'local-model',
  'manual-mode',
  'matching',
  'missing-blobs',
  'oauth',
  'opaque-memories',
  'other-clients',
  'production-start',
  'profile',
  'publisher-tokens',
  'python-client',
  'quilts',
  'recall-faults',
  'recipes',
  'reindex',
  'relayer-command',
  'renewals',
  'rerank',
  'restore-at-once',
  'rolling-upgrade',
  'revocation',
  'sidecar',
  'sidecar-ownership',
  'sign-in',
  'sponsor',
  'store-limit',
  'stored-memories',
  'tenants',
  'traces',
  'trust',
  'two-relayers',
  'unrelated-questions',
  'upload-faults',
  'wallet-uploads',
  'webhooks',
  'without-provider',
].flatMap((name) => ['--exclude', `${endToEnd}${name}.test.ts`]);
/** The environment without URLs of services, even of those that are already running. */
const embedded = {
  MEMRELAY_TEST_BACKEND: 'embedded',
  MEMRELAY_TEST_DATABASE_URL: undefined,
  MEMRELAY_TEST_REDIS_URL: undefined,
};

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);
process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const narrowed = args.some((arg) => !arg.startsWith('-'));
  const removeRunDirectory = provideRunDirectory();
  const services = await provideServices().catch(servicesFailed);
  if (!services) {
    removeRunDirectory();
    return 1;
  }
  let checks: SuiteResult[];
  let runs: VitestRun[];
  try {
    [checks, runs] = await Promise.all([
      Promise.all(narrowed ? [] : [checkSuite()]),
      Promise.all([
        runVitest('tests', args, environmentFor(services)),
        ...(narrowed || !services.postgres ? [] : [runEmbedded(args)]),
      ]),
    ]);
  } finally {
    await services.stop();
    removeRunDirectory();
  }
  if (runs.some(({ interrupted }) => interrupted)) return 130;
  const suites = [...checks, ...runs];
  const notes = services.missing.map((line) => `Not tested here: ${line}`);
  console.log(`\n${summarize(suites, notes)}`);
  return suites.some(({ failed }) => failed > 0) ? 1 : 0;
}

/** Runs the end-to-end tests on the embedded defaults. Their output is printed at the end, because another run prints at the same time. */
function runEmbedded(args: readonly string[]): Promise<VitestRun> {
  const workers = `--maxWorkers=${Math.ceil(availableParallelism() / 4)}`;
  const environment = { ...process.env, ...embedded };
  return runVitest('end to end, embedded', [endToEnd, ...onPostgresAlone, workers, ...args], environment, {
    output: 'at-end',
  });
}

/** If Postgres or Redis is installed but does not start, the run fails instead of testing less. */
function servicesFailed(error: unknown): undefined {
  const problem = error instanceof Error ? error.message : String(error);
  const services = { name: 'services', passed: 0, failed: 1, skipped: 0, seconds: 0, problem };
  console.log(summarize([services], []));
}

async function checkSuite(): Promise<SuiteResult> {
  const started = performance.now();
  const results = await runChecks(root);
  printChecks(results);
  const failures = results.filter(({ passed }) => !passed).map(({ name }) => name);
  const seconds = (performance.now() - started) / 1000;
  const passed = results.length - failures.length;
  return { name: 'check', passed, failed: failures.length, skipped: 0, seconds, failures };
}

/** Without a Postgres only the embedded defaults remain, so one run covers them. */
function environmentFor({ postgres, environment }: ProvidedServices): NodeJS.ProcessEnv {
  return { ...process.env, ...environment, ...(!postgres && embedded) };
}
