import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { relayerVersion } from '@memrelay/protocol/versions';
import type { ServerEntry } from 'memrelay-mcp/hosts/host';
import { UsageError } from 'memrelay-mcp/stdio/flags';
import { readSettings } from 'memrelay-mcp/stdio/settings';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import { stdioEntry } from './stdio-entry.ts';

const run = promisify(execFile);
/** Settings that go into the configuration as flags of the stdio package. */
export interface ServerFlags {
  local?: boolean;
  staging?: boolean;
  prod?: boolean;
  relayer?: string;
  webUrl?: string;
  /** Data directory of the local system */
  dataDir?: string;
  label?: string;
  namespace?: string;
  extraTools?: boolean;
}

/** Flags as the stdio package reads them. Throws `ExitError` for what it would refuse at each start. */
export function serverFlags(flags: ServerFlags): string[] {
  const { local, staging, prod, extraTools, relayer, webUrl, dataDir, label, namespace } = flags;
  const switches = { local, staging, prod, 'extra-tools': extraTools };
  const values = { relayer, 'web-url': webUrl, 'data-dir': dataDir, label, namespace };
  const argv = [
    ...Object.entries(switches).flatMap(([name, on]) => (on ? [`--${name}`] : [])),
    ...Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`])),
  ];
  try {
    readSettings(argv, {});
  } catch (error) {
    if (error instanceof UsageError) throw new ExitError(exitCodes.usage, error.message);
    throw error;
  }
  return argv;
}

/**
 * Adds flags for the environment variables of this terminal that select the system. The host starts the tools without
 * those variables, so they would otherwise find another system.
 */
export function withVariables(flags: ServerFlags, env: NodeJS.ProcessEnv): ServerFlags {
  const { MEM_DATA_DIR: dataDir, MEM_SERVER_URL: relayer, MEM_WEB_URL: webUrl } = env;
  const isChosen = flags.local || flags.staging || flags.prod;
  return {
    ...(dataDir ? { dataDir: resolve(dataDir) } : {}),
    ...(relayer && !isChosen ? { relayer } : {}),
    ...(webUrl && !isChosen ? { webUrl } : {}),
    ...flags,
  };
}

/** How a host starts the stdio package: by absolute paths, since hosts have their own PATH and folder. */
export async function localServer(flags: ServerFlags): Promise<ServerEntry> {
  const args = [...stdioProgram(stdioEntry, process.env.npm_execpath), ...serverFlags(flags)];
  return { kind: 'local', command: await lastingNode(), args };
}

/**
 * The stdio package's program `path` for Node's command line. npm deletes its npx cache now and then, so a program there is
 * started through npx, which downloads it again if needed. `npmCli`: path of the running npm's `npm-cli.js`.
 */
export function stdioProgram(path: string, npmCli: string | undefined): string[] {
  const npx = npmCli && join(dirname(npmCli), 'npx-cli.js');
  if (!inNpxCache(path) || !npx || !existsSync(npx)) return [path];
  return [npx, '--yes', '--prefer-offline', `memrelay-mcp@${relayerVersion}`];
}

const inNpxCache = (path: string): boolean => /[\\/]_npx[\\/]/.test(path);

/** Builds the stdio package if its sources have changed since the last build, so that hosts start it quickly. */
export async function buildServer(): Promise<void> {
  await run(process.execPath, [stdioEntry, '--help']);
}

/**
 * The path of this Node. A Node in the npx cache may be deleted later, so prefers another recent one from PATH then.
 */
async function lastingNode(): Promise<string> {
  if (!inNpxCache(process.execPath)) return process.execPath;
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, name);
    if (inNpxCache(path) || !existsSync(path)) continue;
    const version = await run(path, ['--version'])
      .then(({ stdout }) => stdout)
      .catch(() => '');
    if (Number(/^v(\d+)/.exec(version)?.[1] ?? 0) >= 20) return path;
  }
  return process.execPath;
}
