import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { withProgress } from '../../testing/src/services/progress.mjs';
import { CommandError, runCommand } from '../../testing/src/services/run-command.mjs';

/** This version runs TypeScript directly, and has all features that our tests and scripts use. */
const neededMajor = 24;

/**
 * The Node for a script that needs Node 24: this one, or if it is older, a Node 24 in npm's cache. That is downloaded once, with
 * a message, and its path is stored in `node_modules/.cache`, so that later runs need no network. Undefined, after a message on
 * stderr, if it cannot be downloaded.
 * @param {string} root
 * @param {string} [version] of this Node
 * @returns {Promise<{ node?: string, env?: NodeJS.ProcessEnv } | undefined>}
 */
export async function newerNode(root, version = process.versions.node) {
  const [major = 0] = version.split('.').map(Number);
  if (major >= neededMajor) return {};
  const file = join(root, 'node_modules', '.cache', 'memrelay-node.json');
  const node = remembered(file) ?? (await download(file, version));
  if (node === undefined) return undefined;
  // Programs that the script starts by name use it too
  return { node, env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` } };
}

/** @param {string} file @returns {string | undefined} */
function remembered(file) {
  try {
    const { node } = JSON.parse(readFileSync(file, 'utf8'));
    return existsSync(node) ? node : undefined;
  } catch {
    return undefined;
  }
}

/** @param {string} file @param {string} version @returns {Promise<string | undefined>} */
async function download(file, version) {
  process.stderr.write(
    `This command needs Node ${neededMajor}, and this is ${version}. It uses Node ${neededMajor} from npm (about 60 MB, downloaded once).\n`,
  );
  try {
    const printed = await withProgress(`Getting Node ${neededMajor}`, () =>
      runCommand('npx', ['-y', '--fetch-retries=1', `node@${neededMajor}`, '--print', 'process.execPath'], {
        shell: process.platform === 'win32',
      }),
    );
    // npm may print warnings before the path
    const node = printed.trim().split('\n').at(-1)?.trim() ?? '';
    if (!existsSync(node)) throw new CommandError('npx', `no such file: ${node}`, printed);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ node }));
    return node;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const code = /^npm (?:error|ERR!) code (\S+)$/m.exec(error.output)?.[1];
    process.stderr.write(
      `Node ${neededMajor} could not be downloaded from npm (${code ?? error.message}).\nInstall Node ${neededMajor} or newer (https://nodejs.org), or check the connection, and try again. npm start works without it.\n`,
    );
    return undefined;
  }
}
