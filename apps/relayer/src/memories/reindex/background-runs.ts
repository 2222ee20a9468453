import { LRUCache } from 'lru-cache';

/** Work behind requests, each under a name of its own: a few at once, and not again at once. */
export interface BackgroundRuns {
  /** Begins, unless it is under way or was a moment ago, or too many are. Returns at once. */
  begin(name: string, run: (stopping: AbortSignal) => Promise<void>): void;
  /** Asks what is under way to stop, and waits for it */
  close(): Promise<void>;
}

export interface BackgroundRunsOptions {
  atOnce: number;
  /** After a run, before the next one of the same name */
  restMs: number;
}

/** A run must not throw: it knows whom to tell. */
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
