import { readFileSync, rmSync } from 'node:fs';
import { startGuarded } from '../../../src/services/guarded-process.ts';
import { type PreparedService, untilReady } from '../../../src/services/service.ts';
import { type RestartingProcess, type Run, startRestarting } from './restarting-process.ts';

/** A Postgres or Redis that can be killed and restarts with the same folder and port. */
export async function startRestartingService(
  name: string,
  prepared: PreparedService,
  note: (line: string) => void,
): Promise<RestartingProcess> {
  const start = async (): Promise<Run> => {
    const service = startGuarded({ ...prepared.command, keepsDirectory: true });
    await untilReady(name, service, prepared.isReady);
    const pid = (): number => childrenOf(service.guardianPid)[0] ?? 0;
    return {
      pid,
      ended: service.ended.then((reason) => reason.split('\n')[0] || 'stopped'),
      kill() {
        // Postgres has a process for each connection, each in a separate session
        for (const each of [pid(), ...childrenOf(pid())]) killNow(each);
      },
      stop: service.stop,
    };
  };
  const restarting = await startRestarting(name, start, note);
  return {
    ...restarting,
    async stop() {
      await restarting.stop();
      rmSync(prepared.command.directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Process ids of the children of a process, from Linux's /proc; none when it is gone. */
export function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  } catch {
    return [];
  }
}

/** SIGKILL. False when it was already gone. */
export function killNow(pid: number): boolean {
  if (pid <= 0) return false;
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}
