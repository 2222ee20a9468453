import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { compileCache } from '@memrelay/process/compile-cache';
import { freeSystemPorts } from '../src/system/private-system.ts';

export const commandEntry = fileURLToPath(new URL('../src/main.ts', import.meta.url));

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

export interface RunningCommand {
  child: ChildProcess;
  /** Resolves with the output so far as soon as it matches; rejects when the command ends before */
  printed(pattern: RegExp): Promise<string>;
  ended: Promise<Ended>;
}

/** Starts `memrelay` as a user would. Of this process's environment it gets only PATH and the compiled modules. */
export function startCommand(args: readonly string[], environment: NodeJS.ProcessEnv): RunningCommand {
  const env = { PATH: process.env.PATH, ...compileCache(), ...environment };
  const child = spawn(process.execPath, [commandEntry, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const text = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const)
    child[name]!.setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk;
      for (const look of waiting) look();
    });
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code) => resolve({ code: code ?? -1, ...text }));
  });
  return {
    child,
    ended,
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!pattern.test(text.stdout)) return;
          waiting.delete(look);
          resolve(text.stdout);
        };
        waiting.add(look);
        look();
        void ended.then((end) => reject(new Error(`it ended (${end.code}): ${end.stdout}${end.stderr}`)));
      }),
  };
}

/** The end of a command. Kills one that takes longer, and throws with what it has printed. */
export async function endWithin({ child, ended }: RunningCommand, limitMs: number): Promise<Ended> {
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill('SIGKILL');
  }, limitMs);
  const end = await ended;
  clearTimeout(timer);
  if (!late) return end;
  const command = child.spawnargs.slice(2).join(' ');
  throw new Error(`\`memrelay ${command}\` did not end within ${limitMs} ms: ${end.stdout}${end.stderr}`);
}

/** Variables that give `memrelay up` this home and free ports. */
export async function ownEnvironment(home: string): Promise<Record<string, string>> {
  const ports = await freeSystemPorts();
  return {
    HOME: home,
    MEM_DATA_DIR: join(home, 'data'),
    PORT: String(ports.relayer),
    SIDECAR_URL: `http://127.0.0.1:${ports.sidecar}`,
    LOCALNET_PORT: String(ports.localnet),
    BLOBSTORE_PORT: String(ports.blobstore),
    DASHBOARD_PORT: String(ports.dashboard),
  };
}

/** The local system, once it is ready. */
export async function startLocalSystem(environment: NodeJS.ProcessEnv): Promise<RunningCommand> {
  const command = startCommand(['up', '--json'], environment);
  await command.printed(/"event":"ready"/);
  return command;
}

const run = promisify(execFile);

/** Every process below `pid`, by the script it runs. */
export async function processesBelow(pid: number): Promise<{ pid: number; command: string }[]> {
  const { stdout } = await run('ps', ['-e', '-o', 'pid=,ppid=,args=']);
  const all = stdout
    .trim()
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line)!)
    .map(([, own, parent, command]) => ({ pid: Number(own), parent: Number(parent), command: command! }));
  const below = (parent: number): typeof all =>
    all.filter((process) => process.parent === parent).flatMap((process) => [process, ...below(process.pid)]);
  return below(pid).filter(({ command }) => !command.startsWith('ps '));
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Waits until it holds. Throws after a minute. */
export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`waited in vain: ${what}`);
    await pause(100);
  }
}
