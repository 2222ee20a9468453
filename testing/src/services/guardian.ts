/**
 * Runs one service for one owner and stops it when the owner goes away.
 *
 * The owner holds the other end of this process's stdin. The pipe closes when the owner requests a stop, crashes or is killed
 * with -9. The guardian then stops the service and removes its folder, unless it is kept. `guarded-process.ts` starts it in a
 * separate session, so that Ctrl-C in a terminal does not stop the service while tests are running.
 */
import { spawn } from 'node:child_process';
import { openSync, readFileSync, rmSync } from 'node:fs';
import type { GuardedCommand } from './guarded-process.ts';

/** How long a service has to stop by itself, in milliseconds. */
const graceMs = 10_000;

const spec = JSON.parse(process.argv[2] ?? '{}') as GuardedCommand;
const log = openSync(spec.logFile, 'a');
const service = spawn(spec.command, spec.args, {
  cwd: spec.directory,
  stdio: ['ignore', log, log],
  ...(spec.account && { uid: spec.account.uid, gid: spec.account.gid }),
});

let stopping = false;

function stop(): void {
  if (stopping) return;
  stopping = true;
  service.kill(spec.stopSignal);
  setTimeout(() => service.kill('SIGKILL'), graceMs).unref();
}

service.once('error', (error) => leave(1, error.message));
service.once('exit', (code, signal) => {
  if (stopping) leave(0, '');
  else
    leave(
      1,
      `${spec.command} ended (${signal ?? code})\n${readFileSync(spec.logFile, 'utf8').slice(-4_000)}`,
    );
});

/** Reports to the owner, if it still listens, why the service ended, and removes its files. */
function leave(code: number, reason: string): void {
  if (!spec.keepsDirectory) rmSync(spec.directory, { recursive: true, force: true, maxRetries: 5 });
  process.stdout.on('error', () => process.exit(code));
  process.stdout.write(reason, () => process.exit(code));
}

process.stdin.on('end', stop).on('error', stop).resume();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
