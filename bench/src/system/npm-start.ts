import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePorts } from '@memrelay/process/free-ports';

/** A clone and a Node to run it with: those of this bench unless `START_CLONE` and `START_NODE` name others. */
const clone = process.env.START_CLONE ?? fileURLToPath(new URL('../../..', import.meta.url));
const node = process.env.START_NODE ?? process.execPath;

/** A data directory to start the local system on, time after time. */
export interface StartPlace {
  nodeVersion: string;
  commit: string;
  /** `npm start` until it is ready; `ms` from its command on */
  start(): Promise<{ ms: number; pid: number; stop(): Promise<void> }>;
  /** Bundles the command into an empty folder; returns the time in ms */
  build(): Promise<number>;
  /** Runs a command of `memrelay`; returns the time in ms */
  run(...args: string[]): Promise<number>;
  remove(): Promise<void>;
}

export async function createStartPlace(): Promise<StartPlace> {
  const directory = await mkdtemp(join(tmpdir(), 'memrelay-bench-'));
  const [relayer, sidecar, localnet, blobstore, dashboard] = await freePorts(5);
  const env = {
    PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
    HOME: directory,
    MEM_DATA_DIR: join(directory, 'data'),
    PORT: String(relayer),
    SIDECAR_URL: `http://127.0.0.1:${sidecar}`,
    LOCALNET_PORT: String(localnet),
    BLOBSTORE_PORT: String(blobstore),
    DASHBOARD_PORT: String(dashboard),
    npm_config_update_notifier: 'false',
  };
  const execute = promisify(execFile);
  const timed = async (script: string, ...args: string[]): Promise<number> => {
    const began = performance.now();
    await execute(node, [join(clone, script), ...args], { env, cwd: clone });
    return performance.now() - began;
  };
  const nodeVersion = (await execute(node, ['--version'])).stdout.trim();
  const commit = (await execute('git', ['-C', clone, 'rev-parse', '--short', 'HEAD'])).stdout.trim();
  return {
    nodeVersion,
    commit,
    async start() {
      const began = performance.now();
      // A group of its own, which a terminal's Ctrl-C would reach
      const child = spawn('npm', ['start', '--silent', '--', '--json'], {
        env,
        cwd: clone,
        stdio: ['ignore', 'pipe', 'inherit'],
        detached: true,
      });
      const ended = once(child, 'close');
      const stop = async (): Promise<void> => {
        if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGINT');
        await ended;
      };
      try {
        await ready(child, ended);
        return { ms: performance.now() - began, pid: child.pid!, stop };
      } catch (error) {
        await stop();
        throw error;
      }
    },
    async build() {
      const folder = join(directory, 'build');
      await rm(folder, { recursive: true, force: true });
      return timed('scripts/build/build-once.mjs', 'memrelay', folder);
    },
    run: (...args) => timed('apps/memrelay/bin/memrelay.mjs', ...args),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

function ready(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout! }).on('line', (line) => {
      if (line.startsWith('{"event":"ready"')) resolve();
    });
    void ended.then(() => reject(new Error('npm start ended before it was ready')));
  });
}
