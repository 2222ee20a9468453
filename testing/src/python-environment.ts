import { createHash } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withFileLock } from './services/file-lock.mjs';
import { CommandError, runCommand } from './services/run-command.mjs';

/** A virtual environment with packages, or why there is none. */
export type PythonEnvironment = { bin: string } | { missing: string };

const cache = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));
/** Prints nothing unless this Python can make the environment. */
const probe = 'import sys, venv, ensurepip; assert sys.version_info >= (3, 10)';

/**
 * Installs packages from PyPI into a virtual environment in `node_modules/.cache`, once for each list of packages. `interpreter`
 * must be Python 3.10 or newer. Returns the reason if it is not, or if the packages cannot be fetched.
 */
export async function pythonEnvironment(
  name: string,
  packages: readonly string[],
  interpreter = process.platform === 'win32' ? 'python' : 'python3',
): Promise<PythonEnvironment> {
  const hash = createHash('sha256')
    .update(JSON.stringify([interpreter, packages]))
    .digest('hex')
    .slice(0, 12);
  const folder = join(cache, `memrelay-${name}-${hash}`);
  const bin = join(folder, process.platform === 'win32' ? 'Scripts' : 'bin');
  const complete = join(folder, 'complete');
  if (existsSync(complete)) return { bin };
  try {
    await runCommand(interpreter, ['-c', probe]);
  } catch {
    return { missing: 'no Python 3.10 or newer with venv' };
  }
  try {
    await withFileLock(`${folder}.lock`, async () => {
      if (existsSync(complete)) return;
      rmSync(folder, { recursive: true, force: true });
      await runCommand(interpreter, ['-m', 'venv', folder]);
      await runCommand(join(bin, 'python'), ['-m', 'pip', 'install', '--quiet', ...packages]);
      writeFileSync(complete, '');
    });
    return { bin };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { missing: `the Python packages cannot be installed: ${error.message}` };
  }
}
