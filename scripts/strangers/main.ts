/**
 * `npm run test:strangers`: uses the packages like people without a clone. Packs them, installs the tarballs outside the clone
 * and uses them on every supported Node, in other runtimes, with bundlers and compilers, and as commands. `--only TEXT` runs the
 * cases whose name contains the text; `--keep` keeps the folder.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { agentCases } from './agent-cases.ts';
import { bundlerCases } from './bundler-cases.ts';
import type { StrangerCase, World } from './case.ts';
import { commandCases } from './command-cases.ts';
import { deployCase } from './deploy-case.ts';
import { frameworkCases } from './framework-cases.ts';
import { type LocalSystem, startSystem, systemEnvironment } from './local-system.ts';
import { runtimeCases } from './node-cases.ts';
import { pythonCases } from './python-cases.ts';
import { restartCase } from './restart-case.ts';
import { type CaseResult, summaryOf } from './summary.ts';
import { packAll, type Tarballs } from './tarballs.ts';
import { nodeOf } from './tools.ts';
import { typeCases } from './type-cases.ts';
import { UnreachableError, Workbench } from './workbench.ts';

const { values } = parseArgs({ options: { only: { type: 'string' }, keep: { type: 'boolean' } } });
const started = performance.now();
const say = (line: string): void => void process.stderr.write(`${line}\n`);

const bench = new Workbench(mkdtempSync(join(tmpdir(), 'memrelay-strangers-')));
let system: Promise<LocalSystem> | undefined;
try {
  process.exitCode = await main();
} finally {
  await (await system?.catch(() => undefined))?.stop().catch((error: Error) => say(error.message));
  if (values.keep) say(`The folder is ${bench.root}`);
  else rmSync(bench.root, { recursive: true, force: true });
}

async function main(): Promise<number> {
  const cases = [
    ...commandCases,
    ...agentCases,
    ...runtimeCases,
    ...typeCases,
    ...bundlerCases,
    ...pythonCases,
    ...frameworkCases,
    deployCase,
    restartCase,
  ].filter(({ name }) => values.only === undefined || name.includes(values.only));
  const tarballs = await packAll(bench, say);
  const world = worldOf(tarballs);
  const results: CaseResult[] = [];
  for (const [index, each] of cases.entries()) {
    const result = await runCase(each, world);
    results.push(result);
    say(
      `[${index + 1}/${cases.length}] ${result.status} ${each.name} (${result.seconds.toFixed(1)} s) ${result.remark}`,
    );
  }
  process.stdout.write(`${summaryOf(results, tarballs, (performance.now() - started) / 1000)}\n`);
  return results.some(({ status }) => status === 'failed') ? 1 : 0;
}

async function runCase({ name, run }: StrangerCase, world: World): Promise<CaseResult> {
  const began = performance.now();
  const seconds = (): number => (performance.now() - began) / 1000;
  try {
    return { name, status: 'passed', remark: await run(world), seconds: seconds() };
  } catch (error) {
    const status = error instanceof UnreachableError ? 'unreachable' : 'failed';
    return { name, status, remark: (error as Error).message, seconds: seconds() };
  }
}

function worldOf(tarballs: Tarballs): World {
  const install: World['install'] = (name, own, others = []) =>
    bench.install(name, [...own.map((each) => tarballs.get(each)!.path), ...others]);
  return {
    bench,
    tarballs,
    install,
    system() {
      system ??= (async () => {
        const cwd = await install('memrelay', ['memrelay']);
        return startSystem(bench, await nodeOf(bench, '20'), cwd, await systemEnvironment(bench));
      })();
      return system;
    },
  };
}
