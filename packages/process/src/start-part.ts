import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { compileCache } from './compile-cache.ts';
import { withoutCoreDumps } from './core-dumps.ts';
import { stopDeadlineMs } from './serve-part.ts';
import { type ReadyLine, supervisedVariable } from './supervised.ts';

export interface PartOptions {
  /** Name in messages, e.g. `relayer` */
  name: string;
  /** Path of the part's main file */
  entry: string;
  /** Options of Node */
  nodeFlags?: readonly string[];
  /** Its command-line arguments */
  args?: readonly string[];
  /** The whole environment of the part: nothing is inherited */
  environment: NodeJS.ProcessEnv;
  readyTimeoutMs?: number;
  /** Called for each line on stdout other than the ready line */
  onLine: (line: string) => void;
  /** Receives chunks of its stderr; if omitted, stderr is shared with this process */
  onStderr?: (text: string) => void;
}

export interface RunningPart {
  /** Where it listens */
  readonly url: string;
  readonly pid: number;
  /** Resolves with a description when the process ends for any reason */
  readonly ended: Promise<string>;
  /** Closes its stdin, which tells the part to exit, and kills it if it does not exit in time */
  stop(graceMs?: number): Promise<void>;
}

/** The part exited before it was ready; its stderr output says why. */
export class PartStartError extends Error {
  override name = 'PartStartError';
  readonly exitCode: number | undefined;
  readonly stderr: string;
  constructor(name: string, how: string, exitCode: number | undefined, stderr: string) {
    super(`${name} did not start (${how})${stderr ? `:\n${stderr.trim()}` : ''}`);
    this.exitCode = exitCode;
    this.stderr = stderr;
  }
}

/** Long, because a part may take minutes to start on a busy machine. A part that fails exits immediately. */
export const standardReadyMs = 180_000;

/** Longer than a part's own deadline, so that only a part that exceeds it is killed. */
export const standardGraceMs = stopDeadlineMs + 2_000;

/** Starts a part of the system as a supervised process and waits for its ready line. Throws `PartStartError`. */
export async function startPart(options: PartOptions): Promise<RunningPart> {
  const { entry, nodeFlags = [], args = [] } = options;
  const flags = ['--disable-warning=ExperimentalWarning', ...nodeFlags, entry, ...args];
  const child = spawn(...withoutCoreDumps(process.execPath, flags), {
    env: { ...compileCache(), ...options.environment, [supervisedVariable]: '1' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = endOf(child);
  let early = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    if (early.length < 20_000) early += text;
    if (options.onStderr) options.onStderr(text);
    else process.stderr.write(text);
  });
  // The part may have exited already
  child.stdin!.on('error', () => undefined);
  const url = await readyUrl(child, ended, options).catch((how: string) => {
    child.kill('SIGKILL');
    throw new PartStartError(options.name, how, child.exitCode ?? undefined, early);
  });
  return {
    url,
    pid: child.pid!,
    ended,
    async stop(graceMs = standardGraceMs) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.stdin!.end();
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** Resolves with a description of how the process ended. */
export function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ? `ended by ${signal}` : `exit code ${code}`));
  });
}

/** Resolves with the URL of the ready line, or rejects with a description of why there was none. */
function readyUrl(child: ChildProcess, ended: Promise<string>, options: PartOptions): Promise<string> {
  const seconds = (options.readyTimeoutMs ?? standardReadyMs) / 1000;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(`not ready within ${seconds} seconds`), seconds * 1000);
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const ready = parseReady(line);
      if (!ready) return options.onLine(line);
      clearTimeout(timer);
      resolve(ready.url);
    });
    ended.then((how) => {
      clearTimeout(timer);
      reject(how);
    });
  });
}

function parseReady(line: string): ReadyLine | undefined {
  if (!line.startsWith('{"event":"listening"')) return undefined;
  try {
    return JSON.parse(line) as ReadyLine;
  } catch {
    return undefined;
  }
}
