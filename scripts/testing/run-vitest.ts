import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type RunOptions, runScript } from '../launch/run-script.ts';
import { countTests, type VitestReport } from './count-tests.ts';
import type { SuiteResult } from './suite-result.ts';

/** A run that hangs must still come to a closing line. */
const mostMs = 60 * 60_000;
/** What shells and vitest answer when Ctrl-C ended them. */
const interruptedCode = 130;

export interface VitestRun extends SuiteResult {
  interrupted: boolean;
}

/** Runs vitest once, with its usual output for people, and counts from its JSON report. */
export async function runVitest(
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  options: Pick<RunOptions, 'output' | 'cwd'> = {},
): Promise<VitestRun> {
  const started = performance.now();
  const directory = mkdtempSync(join(tmpdir(), 'memrelay-report-'));
  const reportFile = join(directory, 'report.json');
  try {
    const code = await runScript(
      join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs'),
      ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`, ...args],
      { env, ...options, timeoutMs: mostMs },
    );
    const report = existsSync(reportFile)
      ? (JSON.parse(readFileSync(reportFile, 'utf8')) as VitestReport)
      : undefined;
    const seconds = (performance.now() - started) / 1000;
    return { name, ...countTests(report, code), seconds, interrupted: code === interruptedCode };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
