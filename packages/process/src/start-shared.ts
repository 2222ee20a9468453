import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { compileCache } from './compile-cache.ts';
import { withoutCoreDumps } from './core-dumps.ts';
import type { SharedReply, SharedRequest } from './shared-messages.ts';
import { endOf, PartStartError, standardGraceMs, standardReadyMs } from './start-part.ts';

export interface SharedProcessOptions {
  /** Path of the main file, which calls `hostParts` */
  entry: string;
  /** Names of the parts that it may be asked to start. Also its arguments, so that lists of processes show them */
  parts: readonly string[];
  /** The whole environment of the process: nothing is inherited. The parts have their own */
  environment: NodeJS.ProcessEnv;
  /** Receives chunks of the parts' logs */
  onLog: (part: string, text: string) => void;
  /** Receives what the process itself prints, such as the error that ends it */
  onOutput: (text: string) => void;
}

/** A process in which several parts run, each with its own URL, variables and log. */
export interface SharedProcess {
  readonly pid: number;
  /** Resolves with a description when the process ends for any reason */
  readonly ended: Promise<string>;
  /** Starts a part and returns its URL. Throws `PartStartError`; the other parts continue */
  start(part: string, environment: NodeJS.ProcessEnv): Promise<string>;
  /** Closes a part that is running; the others continue */
  close(part: string): Promise<void>;
  /** Closes all parts, the last started first, and kills the process if that takes too long */
  stop(graceMs?: number): Promise<void>;
}

/** stdin, stdout, stderr and the IPC channel */
const ownFds = 4;

/** Starts the process without any part. */
export function startSharedProcess(options: SharedProcessOptions): SharedProcess {
  const { entry, parts, environment } = options;
  const child = spawn(
    ...withoutCoreDumps(process.execPath, ['--disable-warning=ExperimentalWarning', entry, ...parts]),
    {
      env: { ...compileCache(), ...environment },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc', ...parts.map(() => 'pipe' as const)],
    },
  );
  const read = (fd: number, onText: (text: string) => void): void =>
    void (child.stdio[fd] as Readable).setEncoding('utf8').on('data', onText);
  for (const fd of [1, 2]) read(fd, options.onOutput);
  for (const [index, name] of parts.entries()) read(ownFds + index, (text) => options.onLog(name, text));
  // A request to a process that has just ended; `ended` reports that
  child.on('error', () => undefined);
  const ended = endOf(child);

  /** Sends the request and resolves with the reply of the part. Rejects if the process ends first. */
  async function ask(part: string, request: SharedRequest, limitMs: number): Promise<SharedReply> {
    const reply = replyOf(child, part);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(`no reply within ${limitMs / 1000} seconds`), limitMs);
    });
    if (child.connected) child.send(request, () => undefined);
    const first = await Promise.race([reply.promise, ended, late]);
    clearTimeout(timer);
    reply.forget();
    if (typeof first === 'string') throw new PartStartError(part, first, child.exitCode ?? undefined, '');
    return first;
  }

  return {
    pid: child.pid!,
    ended,
    async start(part, own) {
      const logFd = ownFds + parts.indexOf(part);
      const reply = await ask(part, { start: part, environment: own, logFd }, standardReadyMs);
      if (reply.event === 'listening') return reply.url;
      throw new PartStartError(part, 'error', undefined, reply.event === 'failed' ? reply.reason : '');
    },
    async close(part) {
      await ask(part, { close: part }, standardGraceMs).catch(() => undefined);
    },
    async stop(graceMs = standardGraceMs) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      if (child.connected) child.disconnect();
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await ended;
      clearTimeout(timer);
    },
  };
}

function replyOf(child: ChildProcess, part: string): { promise: Promise<SharedReply>; forget(): void } {
  const { promise, resolve } = Promise.withResolvers<SharedReply>();
  const look = (reply: SharedReply): void => {
    if (reply.part === part) resolve(reply);
  };
  child.on('message', look);
  return { promise, forget: () => void child.off('message', look) };
}
