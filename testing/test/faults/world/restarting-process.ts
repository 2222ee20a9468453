import { setTimeout as pause } from 'node:timers/promises';

/** One run of a process. */
export interface Run {
  /** The process itself, not its guardian */
  pid(): number;
  /** Resolves with a description when it has ended for any reason */
  ended: Promise<string>;
  /** Sends SIGKILL to it and its child processes */
  kill(): void;
  stop(): Promise<void>;
}

/** A process of the world that is restarted whenever it ends, as a platform would. */
export interface RestartingProcess {
  readonly name: string;
  /** Process id of the current run; undefined while it is down */
  pid(): number | undefined;
  /** Kills it with SIGKILL; resolves when it has ended. It stays down for `downMs`. False if it was not running. */
  kill(downMs: number): Promise<boolean>;
  /** Resolves when it is running */
  up(): Promise<void>;
  /** How often it was started */
  starts(): number;
  stop(): Promise<void>;
}

/** Pause before a restart, and after a failed start (a part cannot start while its database is down) */
const restartMs = 100;

/**
 * Starts it and keeps it running. Throws if the first start throws. `note` receives a line for each end and failed
 * start.
 */
export async function startRestarting(
  name: string,
  start: () => Promise<Run>,
  note: (line: string) => void,
): Promise<RestartingProcess> {
  let run: Run | undefined = await start();
  let starts = 1;
  let isUp = Promise.withResolvers<void>();
  isUp.resolve();
  let stopping = false;
  let downMs = 0;

  async function live(): Promise<void> {
    while (run) {
      const how = await run.ended;
      run = undefined;
      if (stopping) return;
      isUp = Promise.withResolvers();
      note(`${name} ended (${how})`);
      await pause(downMs || restartMs);
      downMs = 0;
      while (!run && !stopping) {
        try {
          run = await start();
          starts += 1;
        } catch (error) {
          note(`${name} did not start: ${(error as Error).message}`);
          await pause(restartMs);
        }
      }
      isUp.resolve();
    }
  }
  const living = live();

  return {
    name,
    pid: () => run?.pid(),
    async kill(wantedMs) {
      const victim = run;
      if (!victim || stopping) return false;
      downMs = wantedMs;
      victim.kill();
      const how = await victim.ended;
      return how.includes('SIGKILL');
    },
    up: () => isUp.promise,
    starts: () => starts,
    async stop() {
      stopping = true;
      await run?.stop();
      await living;
      // A start may have been in progress when `stop` was called
      await run?.stop();
    },
  };
}
