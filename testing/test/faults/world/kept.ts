import { setTimeout as pause } from 'node:timers/promises';

/** One run of a process. */
export interface Run {
  /** The process itself, not its guardian */
  pid(): number;
  /** Resolves with how it ended, whatever ended it */
  ended: Promise<string>;
  /** Sends SIGKILL to it and its child processes */
  kill(): void;
  stop(): Promise<void>;
}

/** A process of the world that is restarted whenever it ends, as a platform would. */
export interface Kept {
  readonly name: string;
  /** Of the current run; undefined while there is none */
  pid(): number | undefined;
  /** SIGKILL; resolves after its end. It stays down for `downMs`. False when it was not running. */
  kill(downMs: number): Promise<boolean>;
  /** Resolves when it runs */
  up(): Promise<void>;
  /** How often it was started */
  starts(): number;
  stop(): Promise<void>;
}

/** Between an end and the next start, and after a failed start (a part whose database is down cannot start) */
const restartMs = 100;

/**
 * Starts it and keeps it running. Throws if the first start throws. `note` receives a line for each end and failed
 * start.
 */
export async function keep(
  name: string,
  start: () => Promise<Run>,
  note: (line: string) => void,
): Promise<Kept> {
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
      // A start that was in progress when `stop` was called
      await run?.stop();
    },
  };
}
