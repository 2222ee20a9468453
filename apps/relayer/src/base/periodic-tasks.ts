import type { Logger } from 'pino';

/** Tasks that run one after the other at long intervals, never two at the same time. */
export interface PeriodicTasks {
  stop(): Promise<void>;
}

const defaultEveryMs = 10 * 60_000;

export function startPeriodicTasks(
  tasks: Readonly<Record<string, () => Promise<unknown>>>,
  log: Logger,
  everyMs = defaultEveryMs,
): PeriodicTasks {
  let running: Promise<void> | undefined;
  async function runAll(): Promise<void> {
    for (const [task, run] of Object.entries(tasks)) {
      try {
        await run();
      } catch (error) {
        log.warn({ err: error, task }, 'maintenance task failed; will retry');
      }
    }
  }
  const timer = setInterval(() => {
    running ??= runAll().finally(() => {
      running = undefined;
    });
  }, everyMs);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
