import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
// Imported by path, because the launcher runs before node_modules exists
import { withFileLock } from '../../testing/src/services/file-lock.mjs';
import { withProgress } from '../../testing/src/services/progress.mjs';
import { CommandError, runCommand } from '../../testing/src/services/run-command.mjs';
import { isInstalled, lockfileHash, stampFile } from './installed.mjs';

/** Error codes for a registry that does not respond, from Node's network errors and npm's own. */
const networkCodes = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'ERR_SOCKET_TIMEOUT',
  'ENETUNREACH',
  'EHOSTUNREACH',
]);

/**
 * Installs the dependencies of the lockfile. Concurrent launches take turns, and only the first one installs. Returns a message
 * for the user if it failed.
 * @param {string} root
 * @returns {Promise<string | undefined>}
 */
export async function installDependencies(root) {
  if (isInstalled(root)) return undefined;
  return withProgress('Installing the dependencies', () =>
    withFileLock(join(root, '.cache', 'install.lock'), async () => {
      if (isInstalled(root)) return undefined;
      try {
        // Tests and the linter need the development dependencies even if NODE_ENV is production.
        await runCommand('npm', ['ci', '--include=dev', '--no-audit', '--no-fund'], {
          cwd: root,
          shell: process.platform === 'win32',
        });
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        return explain(error);
      }
      // npm does not create an empty folder
      mkdirSync(join(root, 'node_modules'), { recursive: true });
      writeFileSync(stampFile(root), lockfileHash(root));
      return undefined;
    }),
  );
}

/** @param {CommandError} error */
function explain(error) {
  const code = /^npm (?:error|ERR!) code (\S+)$/m.exec(error.output)?.[1];
  if (code && networkCodes.has(code)) {
    return (
      `The package registry cannot be reached (${code}). Check the connection, the proxy settings and ` +
      '`npm config get registry`, then run the same command again.'
    );
  }
  return `${error.output.trimEnd()}\nThe dependencies could not be installed (${error.message}).`;
}
