import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type RunOptions, runScript } from '../launch/run-script.mjs';
import { countTests, type VitestReport } from './count-tests.ts';
import type { SuiteResult } from './suite-result.ts';

/** Timeout, so that a run that hangs still prints a closing line. */
const maxMs = 60 * 60_000;
/** The exit codes of shells and vitest after Ctrl-C. */
const interruptedCode = 130;
/** Exit codes after a signal are this plus its number */
const signalCodes = 128;

export interface VitestRun extends SuiteResult {
  interrupted: boolean;
  /** A signal, the timeout or Ctrl-C ended the run, so the counts are incomplete */
  cutOff: boolean;
  /** The part of `failed` that are tests, without files and hooks */
  failedTests: number;
}

/** Runs vitest once, with its usual output, and counts from its JSON report. */
export async function runVitest(
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  options: Pick<RunOptions, 'output' | 'cwd' | 'timeoutMs'> = {},
): Promise<VitestRun> {
  const started = performance.now();
  const directory = mkdtempSync(join(tmpdir(), 'memrelay-report-'));
  const reportFile = join(directory, 'report.json');
  try {
    const code = await runScript(
      join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs'),
      ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`, ...args],
      { env, timeoutMs: maxMs, ...options },
    );
    const report = existsSync(reportFile)
      ? (JSON.parse(readFileSync(reportFile, 'utf8')) as VitestReport)
      : undefined;
    const seconds = (performance.now() - started) / 1000;
    return {
      name,
      ...countTests(report, code),
      failedTests: report?.numFailedTests ?? 0,
      seconds,
      interrupted: code === interruptedCode,
      cutOff: code >= signalCodes,
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
