/**
 * `npm run test:mutations`: breaks random statements of the requirements manifest, one at a time, and expects a test named by
 * the statement to fail. A surviving mutation shows that no test proves its statement.
 *
 * `--count 100`, `--seed 1`, `--only id` (repeatable) for certain statements, `--list` to see the catalogue.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { provideServices } from '../../testing/src/services/provide.ts';
import { readManifest } from '../requirements/manifest.ts';
import { runVitest, type VitestRun } from '../testing/run-vitest.ts';
import { mutations } from './catalogue.ts';
import type { Mutation } from './mutation.ts';
import { type NamedTests, namedTests } from './named-tests.ts';
import { type Judgement, judge, maxRunMs, problemBefore } from './outcome.ts';
import { pick } from './pick.ts';
import { createWorkingCopy, type WorkingCopy } from './working-copy.ts';

interface Result extends Mutation, Judgement {
  seconds: number;
}

const repository = fileURLToPath(new URL('../..', import.meta.url));
const requirements = new Map(readManifest().map((entry) => [entry.id, entry]));
const { values: options } = parseArgs({
  options: {
    count: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true },
    list: { type: 'boolean', default: false },
  },
});

const chosen = options.only
  ? mutations.filter(({ breaks }) => options.only?.includes(breaks))
  : pick(mutations, Number(options.count), options.seed);
if (options.list) for (const { breaks, file } of chosen) console.log(`${breaks}  ${file}`);
else process.exitCode = await main();

async function main(): Promise<number> {
  const services = await provideServices();
  const copy = createWorkingCopy(repository);
  const interrupt = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupt.abort());
  const results: Result[] = [];
  try {
    const environment = { ...process.env, ...services.environment };
    for (const mutation of chosen) {
      if (interrupt.signal.aborted) break;
      const result = await tryMutation(copy, mutation, environment);
      results.push(result);
      console.log(lineOf(result, results.length));
    }
  } finally {
    copy.remove();
    await services.stop();
  }
  return conclude(results);
}

/** The named tests must pass with the unmodified code, and one of them must fail with the mutation. */
async function tryMutation(
  copy: WorkingCopy,
  mutation: Mutation,
  environment: NodeJS.ProcessEnv,
): Promise<Result> {
  const started = performance.now();
  const ended = (judgement: Judgement): Result => ({
    ...mutation,
    ...judgement,
    seconds: Math.round((performance.now() - started) / 1000),
  });
  const tests = namedTests(requirements.get(mutation.breaks)!);
  const reason = problemBefore(await run(copy, tests, environment));
  if (reason !== undefined) return ended({ outcome: 'unusable', reason });
  const undo = copy.apply(mutation);
  try {
    return ended(judge(await run(copy, tests, environment)));
  } finally {
    undo();
  }
}

function run(copy: WorkingCopy, { files, pattern }: NamedTests, env: NodeJS.ProcessEnv): Promise<VitestRun> {
  const args = [...files, '--testNamePattern', pattern, '--bail=1'];
  return runVitest('mutation', args, env, { output: 'ignore', cwd: copy.root, timeoutMs: maxRunMs });
}

function lineOf({ outcome, breaks, file, reason, seconds }: Result, number: number): string {
  const sign = { noticed: '✓', survived: '✗', unusable: '?' }[outcome];
  return `${sign} ${number}/${chosen.length} ${breaks} (${seconds} s) ${outcome}${reason ? `: ${reason}` : ''}  ${file}`;
}

/** Saves the result, prints the survivors, and returns the exit code. */
function conclude(results: readonly Result[]): number {
  const count = (outcome: Judgement['outcome']): number =>
    results.filter((result) => result.outcome === outcome).length;
  const file = join(repository, 'bench/results', `${new Date().toISOString().slice(0, 10)}-mutations.json`);
  mkdirSync(join(file, '..'), { recursive: true });
  const saved = results.map(({ breaks, file, outcome, reason, seconds }) => ({
    breaks,
    file,
    outcome,
    ...(reason ? { reason } : {}),
    seconds,
  }));
  const summary = { noticed: count('noticed'), survived: count('survived'), unusable: count('unusable') };
  const content = { at: new Date().toISOString(), seed: options.seed, ...summary, results: saved };
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
  console.log(`\n${summary.noticed} noticed, ${summary.survived} survived, ${summary.unusable} unusable`);
  console.log(`${summary.noticed} passed, ${summary.survived + summary.unusable} failed`);
  return summary.noticed === chosen.length ? 0 : 1;
}
