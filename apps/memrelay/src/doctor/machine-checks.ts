import { randomUUID } from 'node:crypto';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type Check, type Finding, failed, ok, warning } from './check.ts';

/** package.json, "engines" */
const neededNode: readonly [major: number, minor: number] = [22, 18];

export function nodeVersion(version: string = process.versions.node): Check {
  return {
    name: 'Node',
    run() {
      const [major = 0, minor = 0] = version.split('.').map(Number);
      const [needMajor, needMinor] = neededNode;
      if (major > needMajor || (major === needMajor && minor >= needMinor)) return ok(version);
      return failed(
        `${version} is older than ${needMajor}.${needMinor}`,
        'install Node 24 from https://nodejs.org',
        exitCodes.usage,
      );
    },
  };
}

/** The data directory must be writable, and the secrets in it readable only by their owner. */
export function dataDirectory(directory: string): Check {
  return {
    name: 'Data directory',
    async run() {
      const mode = await modeOf(directory);
      if (mode === undefined)
        return warning(
          `${directory} does not exist yet`,
          'nothing, if the relayer is elsewhere; else run: npx memrelay up',
        );
      const findings: Finding[] = [await writable(directory)];
      // Windows has no mode bits; there the profile directory protects the files.
      if (process.platform === 'win32') return findings;
      if ((mode & 0o077) !== 0)
        findings.push(
          failed(
            `${directory} is open to other users (mode ${octal(mode)}, should be 700)`,
            `run: chmod 700 "${directory}"`,
            exitCodes.usage,
          ),
        );
      for (const path of await openSecrets(directory))
        findings.push(
          failed(
            `${path} can be read by other users (should be 600)`,
            `run: chmod 600 "${path}"`,
            exitCodes.usage,
          ),
        );
      return findings;
    },
  };
}

async function writable(directory: string): Promise<Finding> {
  const probe = join(directory, `.doctor-${randomUUID()}`);
  try {
    await writeFile(probe, '', { mode: 0o600 });
    await rm(probe);
    return ok(directory);
  } catch (error) {
    return failed(
      `${directory} cannot be written (${(error as NodeJS.ErrnoException).code})`,
      'give it to the user who runs memrelay, or set MEM_DATA_DIR to another directory',
      exitCodes.usage,
    );
  }
}

/** Secret files that others could read or change. */
async function openSecrets(directory: string): Promise<string[]> {
  const keys = await readdir(join(directory, 'keys')).catch(() => []);
  const secrets = [
    'wallet.json',
    'credentials.json',
    'dashboard.json',
    ...keys.map((name) => join('keys', name)),
  ];
  const open: string[] = [];
  for (const name of secrets) {
    const mode = await modeOf(join(directory, name));
    if (mode !== undefined && (mode & 0o077) !== 0) open.push(join(directory, name));
  }
  return open;
}

async function modeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mode & 0o777;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const octal = (mode: number): string => mode.toString(8).padStart(3, '0');
