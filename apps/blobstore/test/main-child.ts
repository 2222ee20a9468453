import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { compileCache } from '@memrelay/process/compile-cache';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

export interface MainProcess {
  child: ChildProcess;
  /** Everything written to stderr so far */
  stderr: () => string;
  /** The exit code, or the signal's name */
  ended: Promise<number | string>;
}

/** Starts `main.ts` in a separate process. The caller must stop it. */
export function startMain(args: string[], env: Record<string, string> = {}): MainProcess {
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH: process.env.PATH ?? '', ...compileCache(), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  return { child, stderr: () => stderr, ended };
}

/** The URL of the ready line, which must be the first line of stdout. */
export async function urlOf({ child, ended, stderr }: MainProcess): Promise<string> {
  if (child.stdout === null) throw new Error('stdout is not piped');
  const line = once(createInterface({ input: child.stdout }), 'line');
  const first = await Promise.race([line, ended]);
  if (!Array.isArray(first)) throw new Error(`ended with ${first}: ${stderr()}`);
  const ready = JSON.parse(first[0] as string) as { event: string; url: string };
  if (ready.event !== 'listening') throw new Error(`unexpected line ${first[0]}`);
  return ready.url;
}
