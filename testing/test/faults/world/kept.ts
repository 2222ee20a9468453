import { setTimeout as pause } from 'node:timers/promises';

/** One run of a process. */
export interface Run {
  /** The process itself, not its guardian */
  pid(): number;
  /** Resolves with how it ended, whoever ended it */
  ended: Promise<string>;
  /** SIGKILL to it and what belongs to it */
  kill(): void;
  stop(): Promise<void>;
}

/** A process of the world that is started again whenever it ends, as its platform does. */
export interface Kept {
  readonly name: string;
  /** Of the run that is there; undefined while there is none */
  pid(): number | undefined;
  /** SIGKILL, its end awaited; it stays down for so long. False when it was not running. */
  kill(downMs: number): Promise<boolean>;
  /** Resolves when it runs */
  up(): Promise<void>;
  /** How often it was started */
  starts(): number;
  stop(): Promise<void>;
}

/** Between an end and the next start, and after a start that failed (a part whose database is away cannot start) */
const restartMs = 100;

/** Starts it and keeps it running. Throws what the first start throws. `note` hears of ends and failed starts. */
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
      // A start that was under way when it was to stop
      await run?.stop();
    },
  };
}
