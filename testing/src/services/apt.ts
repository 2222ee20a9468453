import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withFileLock } from './file-lock.mjs';
import { findBinary } from './find-binary.ts';
import { withProgress } from './progress.mjs';
import { CommandError, runCommand } from './run-command.mjs';

export const aptEnvironment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  DEBIAN_FRONTEND: 'noninteractive',
  LC_ALL: 'C',
});

/** Why apt cannot be used here, as a message for the person running the tests; undefined when it can. */
export function whyNoApt(): string | undefined {
  if (!findBinary(['apt-get']) || !existsSync('/etc/debian_version')) return 'this system has no apt';
  if (process.getuid?.() !== 0) return 'installing with apt needs root';
  return undefined;
}

/** Refreshes apt's lists. Errors of a mirror are ignored: the install that follows fails if they matter. */
export async function aptUpdate(): Promise<void> {
  await withProgress('Refreshing the package lists of apt', async () => {
    try {
      await aptGet(['update']);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
    }
  });
}

/** Whether apt knows a package with that name that it could install. */
export async function aptHas(name: string): Promise<boolean> {
  const policy = await runCommand('apt-cache', ['policy', name], { env: aptEnvironment() });
  return /Candidate: (?!\(none\))/.test(policy);
}

/** Installs packages without those they only recommend. Throws `CommandError` with apt's output. */
export async function aptInstall(names: readonly string[]): Promise<void> {
  await withProgress(`Installing ${names.join(', ')} with apt`, () =>
    aptGet(['install', '--yes', '--no-install-recommends', ...names]),
  );
}

/**
 * Runs apt-get, only one at a time on this machine: our own processes wait for each other with a file lock, and for the
 * system's apt with dpkg's lock.
 */
async function aptGet(args: readonly string[]): Promise<void> {
  await withFileLock(join(tmpdir(), 'memrelay-apt.lock'), async () => {
    await runCommand('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...args], { env: aptEnvironment() });
  });
}
