import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const packagePath = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json');
const entry = join(packagePath, '..', 'dist', 'index.js');

/** The failed checks by scenario, with the suite's messages. */
export type Failures = Record<string, string[]>;

/**
 * Runs the public conformance suite against a server, completely or one scenario. Returns the number of scenarios
 * that were run, and the failures by scenario.
 */
export async function runConformance(url: string, scenario?: string) {
  const directory = await mkdtemp(join(tmpdir(), 'conformance-'));
  try {
    const selection = scenario === undefined ? ['--suite', 'all'] : ['--scenario', scenario];
    // Its exit code says only that something failed
    await new Promise<void>((resolve) => {
      execFile(process.execPath, [entry, 'server', '--url', url, ...selection, '-o', directory], () =>
        resolve(),
      );
    });
    const failures: Failures = {};
    const runs = await readdir(directory);
    for (const run of runs) {
      const checks = JSON.parse(await readFile(join(directory, run, 'checks.json'), 'utf8')) as {
        status: string;
        description: string;
        errorMessage?: string;
      }[];
      const failed = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
      const name = run.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '');
      if (failed.length > 0)
        failures[name] = failed.map(({ errorMessage, description }) => errorMessage ?? description);
    }
    return { scenarios: runs.length, failures };
  } finally {
    await rm(directory, { recursive: true });
  }
}
