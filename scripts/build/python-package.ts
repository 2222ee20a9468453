import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pythonEnvironment } from '../../testing/src/python-environment.ts';
import { runCommand } from '../../testing/src/services/run-command.mjs';
import { root } from './repository.mjs';

/** The Python client as it is published. */
export interface PythonPackage {
  version: string;
  wheel: string;
  sdist: string;
}

const folder = join(root, 'clients', 'python');
const buildEnvironment = () => pythonEnvironment('python-build', ['build', 'hatchling', 'twine']);
/** The file that has the version, from the root. */
export const pythonVersionFile = 'clients/python/src/memrelay/version.py';

/** The version as the source has it: `0.2.0-rc.1`. PyPI shows `0.2.0rc1`. Throws if the file has none. */
export function pythonVersion(text: string): string {
  const version = /^__version__ = "(.+)"$/m.exec(text)?.[1];
  if (version === undefined) throw new Error(`${pythonVersionFile} has no __version__`);
  return version;
}

/**
 * Builds wheel and source distribution into a folder. Throws if there is no Python 3.10 with venv, or if the build tools cannot
 * be fetched from PyPI.
 */
export async function buildPythonPackage(destination: string): Promise<PythonPackage> {
  const python = await buildEnvironment();
  if ('missing' in python) throw new Error(`The Python package cannot be built: ${python.missing}.`);
  const options = { cwd: folder, env: { ...process.env, SOURCE_DATE_EPOCH: '1577836800' } };
  const args = ['-m', 'build', '--no-isolation', '--outdir', destination, '.'];
  const printed = await runCommand(join(python.bin, 'python'), args, options);
  const [, sdist, wheel] = /Successfully built (\S+\.tar\.gz) and (\S+\.whl)/.exec(printed) ?? [];
  const paths = { wheel: join(destination, wheel!), sdist: join(destination, sdist!) };
  await runCommand(join(python.bin, 'twine'), ['check', '--strict', paths.wheel, paths.sdist], options);
  return { ...paths, version: pythonVersion(readFileSync(join(root, pythonVersionFile), 'utf8')) };
}

/** Uploads both files to PyPI with the token in `TWINE_PASSWORD`. Files that are already there are left out. */
export async function uploadPythonPackage({ wheel, sdist }: PythonPackage): Promise<void> {
  const python = await buildEnvironment();
  if ('missing' in python) throw new Error(`The Python package cannot be uploaded: ${python.missing}.`);
  const env = { TWINE_USERNAME: '__token__', ...process.env };
  const args = ['upload', '--non-interactive', '--skip-existing', sdist, wheel];
  await runCommand(join(python.bin, 'twine'), args, { env });
}
