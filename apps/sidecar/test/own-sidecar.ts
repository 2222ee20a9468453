import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { compileCache } from '@memrelay/process/compile-cache';

const entry = fileURLToPath(new URL('../src/main.ts', import.meta.url));

export interface OwnSidecar {
  pid: number;
  /** Its output on stderr */
  log(): string;
  /** Sends `kill -9` and waits for the exit */
  kill(): Promise<void>;
}

/**
 * A sidecar started by an operator. No other process supervises it, so a relayer with its token uses it without
 * restarting it.
 */
export async function startOwnSidecar(environment: NodeJS.ProcessEnv): Promise<OwnSidecar> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', entry], {
    env: { PATH: process.env.PATH, ...compileCache(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  await Promise.race([
    once(createInterface(child.stdout), 'line'),
    ended.then(() => Promise.reject(new Error(`the sidecar did not start:\n${log}`))),
  ]);
  return {
    pid: child.pid!,
    log: () => log,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
