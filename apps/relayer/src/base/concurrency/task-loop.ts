import type { Db } from '../db/db.ts';
import { createSharedTask } from '../rows/shared-tasks.ts';

/** Runs `work` at the interval and when woken, never twice at once. */
export interface TaskLoop {
  wake(): void;
  /** Waits for the current run */
  stop(): Promise<void>;
}

export function startTaskLoop(
  pollMs: number,
  work: () => Promise<void>,
  onError: (error: unknown) => void,
): TaskLoop {
  let running: Promise<void> | undefined;
  function look(): void {
    running ??= work()
      .catch(onError)
      .finally(() => {
        running = undefined;
      });
  }
  const timer = setInterval(look, pollMs);
  look();
  return {
    wake: look,
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

export interface PeriodicTask {
  name: string;
  /** Pause between two rounds, and after a failed one */
  everyMs: number;
  againAfterFailureMs: number;
  /** Pause between checks whether the task is due */
  pollMs: number;
}

/** Runs `work` at the start and then at the interval, on one of the relayers that share the database. */
export async function startPeriodicTask(
  db: Db,
  { name, everyMs, againAfterFailureMs, pollMs }: PeriodicTask,
  work: () => Promise<void>,
  onError: (error: unknown) => void,
): Promise<TaskLoop> {
  const task = await createSharedTask(db, name);
  await task.hurry();
  async function round(): Promise<void> {
    const claim = await task.claim();
    if (!claim) return;
    let failed = true;
    try {
      await work();
      failed = false;
    } finally {
      await task.settle(claim.token, { dueInMs: failed ? againAfterFailureMs : everyMs, failed });
    }
  }
  return startTaskLoop(pollMs, round, onError);
}
