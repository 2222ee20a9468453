import type { Logger } from 'pino';

/** Work that keeps tables from growing, at long intervals and never twice at once. */
export interface Maintenance {
  stop(): Promise<void>;
}

const defaultEveryMs = 10 * 60_000;

export function startMaintenance(
  tasks: Readonly<Record<string, () => Promise<unknown>>>,
  log: Logger,
  everyMs = defaultEveryMs,
): Maintenance {
  let running: Promise<void> | undefined;
  async function runAll(): Promise<void> {
    for (const [task, run] of Object.entries(tasks)) {
      try {
        await run();
      } catch (error) {
        log.warn({ err: error, task }, 'maintenance failed; it is tried again later');
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
