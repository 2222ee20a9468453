import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The system account a service runs under; Postgres refuses to run as root. */
export interface Account {
  uid: number;
  gid: number;
}

export interface GuardedCommand {
  command: string;
  args: string[];
  /** Working folder of the service; removed when the service has stopped, unless it is kept. */
  directory: string;
  /** Set if the owner removes the folder itself, because it starts the service on it again */
  keepsDirectory?: boolean;
  logFile: string;
  stopSignal: NodeJS.Signals;
  account?: Account | undefined;
}

export interface GuardedProcess {
  /** Process id of its guardian, whose only child is the service */
  guardianPid: number;
  /** Settles when the service has ended, with the reason, or '' after a requested stop. */
  ended: Promise<string>;
  /** Stops the service and removes its folder; resolves when both are done. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts a service that cannot outlive this process: see `guardian.ts`. It does not keep this process running either,
 * so a script that forgets to stop it still ends, along with the service.
 */
export function startGuarded(spec: GuardedCommand): GuardedProcess {
  const guardian = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      fileURLToPath(new URL('./guardian.ts', import.meta.url)),
      JSON.stringify(spec),
    ],
    { detached: true, stdio: ['pipe', 'pipe', 'inherit'] },
  );
  let reason = '';
  guardian.stdout.setEncoding('utf8').on('data', (text: string) => {
    reason += text;
  });
  const ended = once(guardian, 'close').then(() => reason);
  // Pipes of a child process are sockets, but the types do not show that
  const handles = [guardian, guardian.stdin, guardian.stdout] as unknown as Array<{
    ref(): void;
    unref(): void;
  }>;
  for (const handle of handles) handle.unref();
  return {
    guardianPid: guardian.pid!,
    ended,
    async stop() {
      for (const handle of handles) handle.ref();
      guardian.stdin.end();
      await ended;
    },
  };
}
