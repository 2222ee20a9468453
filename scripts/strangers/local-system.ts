import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '@memrelay/process/free-ports';
import type { Workbench } from './workbench.ts';

/** A system that `memrelay up` of an installed package runs. */
export interface LocalSystem {
  relayerUrl: string;
  /** Environment for programs that use the system */
  env: NodeJS.ProcessEnv;
  credentialsPath: string;
  /** Time from the start of the process until it reports that it is ready */
  startMs: number;
  pid: number;
  /** Stops it like Ctrl-C. Returns the output of the shutdown. */
  stop(): Promise<string>;
}

const readyMs = 180_000;
/** Makes every request to the registry fail: nothing may be fetched once the package is installed. */
const offline = { npm_config_registry: 'http://127.0.0.1:9/' };

/** Variables of a system on free ports. */
export async function systemEnvironment(bench: Workbench): Promise<NodeJS.ProcessEnv> {
  const [relayer, sidecar, localnet, blobstore, dashboard] = await freePorts(5);
  return {
    MEM_DATA_DIR: join(bench.home, 'data'),
    PORT: String(relayer),
    SIDECAR_URL: `http://127.0.0.1:${sidecar}`,
    LOCALNET_PORT: String(localnet),
    BLOBSTORE_PORT: String(blobstore),
    DASHBOARD_PORT: String(dashboard),
    ...offline,
  };
}

/** `memrelay up` with this Node, in the folder in which the package is installed. Throws if it ends before it is ready. */
export async function startSystem(
  bench: Workbench,
  node: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<LocalSystem> {
  const started = performance.now();
  const child = spawn(node, [join(cwd, 'node_modules', 'memrelay', 'bin', 'memrelay.js'), 'up', '--json'], {
    cwd,
    env: { ...bench.environment, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = { text: '' };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed.text += text;
    });
  await untilReady(child, printed);
  const credentialsPath = join(env.MEM_DATA_DIR!, 'credentials.json');
  return {
    relayerUrl: JSON.parse(readFileSync(credentialsPath, 'utf8')).relayerUrl,
    env,
    credentialsPath,
    startMs: performance.now() - started,
    pid: child.pid!,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return printed.text;
      child.kill('SIGINT');
      const [code] = await once(child, 'exit');
      if (code !== 0) throw new Error(`it ended with ${code} after SIGINT:\n${printed.text.slice(-1_500)}`);
      return printed.text;
    },
  };
}

function untilReady(child: ChildProcess, printed: { text: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (how: string): void => {
      child.kill('SIGKILL');
      reject(new Error(`memrelay up: ${how}\n${printed.text.slice(-1_500)}`));
    };
    const timer = setTimeout(() => fail(`not ready after ${readyMs / 1000} s`), readyMs);
    const ended = (code: number | null): void => fail(`ended with ${code}`);
    child.once('exit', ended);
    child.stdout!.on('data', () => {
      if (!printed.text.includes('"event":"ready"')) return;
      clearTimeout(timer);
      child.off('exit', ended);
      resolve();
    });
  });
}
