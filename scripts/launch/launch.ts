import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installDependencies } from './install-dependencies.ts';
import { runScript } from './run-script.ts';

export const repositoryRoot = fileURLToPath(new URL('../..', import.meta.url));

/** What each command runs: a script, and the arguments that come before the user's. */
const commands: Record<string, readonly [script: string, ...args: string[]]> = {
  start: ['apps/memrelay/src/main.ts', 'up'],
  demo: ['apps/memrelay/src/main.ts', 'demo'],
  test: ['scripts/test.ts'],
  check: ['scripts/check.ts'],
  bench: ['bench/src/main.ts'],
  'bench:recall': ['bench/src/recall-quality/main.ts'],
  'bench:leakage': ['bench/src/leakage/main.ts'],
  'conformance:blobstore': ['apps/blobstore/conformance/main.ts'],
  'faults:uploads': ['testing/test/upload-faults/uploads-long.ts'],
  'test:mutations': ['scripts/mutations/main.ts'],
  'test:faults': ['testing/test/faults/faults-long.ts'],
};

/** Installs what the lockfile says if needed and runs the command. Returns the exit code. */
export async function launch([name = '', ...args]: readonly string[]): Promise<number> {
  const command = commands[name];
  if (!command) {
    process.stderr.write(`There is no command "${name}". Commands: ${Object.keys(commands).join(', ')}.\n`);
    return 2;
  }
  const problem = await installDependencies(repositoryRoot);
  if (problem) {
    process.stderr.write(`${problem}\n`);
    return 1;
  }
  const [script, ...before] = command;
  return runScript(join(repositoryRoot, script), [...before, ...args]);
}
