import { LRUCache } from 'lru-cache';

/** Limits background work: a few runs at a time, and a pause before a run of the same name starts again. */
export interface BackgroundRuns {
  /** Starts a run, unless one of this name is running or has just ended, or too many are running. Returns at once. */
  begin(name: string, run: (stopping: AbortSignal) => Promise<void>): void;
  /** Asks current runs to stop, and waits for them */
  close(): Promise<void>;
}

export interface BackgroundRunsOptions {
  atOnce: number;
  /** Pause between two runs of the same name */
  restMs: number;
}

/** A run must not throw: it handles its own errors. */
export function createBackgroundRuns({ atOnce, restMs }: BackgroundRunsOptions): BackgroundRuns {
  const underWay = new Map<string, Promise<void>>();
  const rested = new LRUCache<string, true>({ max: 10_000, ttl: restMs });
  const stopping = new AbortController();
  return {
    begin(name, run) {
      if (stopping.signal.aborted || underWay.size >= atOnce) return;
      if (underWay.has(name) || rested.has(name)) return;
      const running = run(stopping.signal).finally(() => {
        underWay.delete(name);
        rested.set(name, true);
      });
      underWay.set(name, running);
    },
    async close() {
      stopping.abort();
      await Promise.all(underWay.values());
    },
  };
}
