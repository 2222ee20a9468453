/** Returns the result of a read of `name` that started at or after `sinceMs`. */
export type ReadInTurn<T> = (name: string, sinceMs: number, read: () => Promise<T>) => Promise<T>;

interface RunningRead<T> {
  atMs: number;
  result: Promise<T>;
}

/**
 * Shares reads among any number of callers, with one read per name at a time. A caller joins the running read if that started
 * at or after `sinceMs`; all others share the next read. `now` and `sinceMs` are milliseconds of a monotonic clock.
 */
export function createReadsInTurn<T>(now: () => number): ReadInTurn<T> {
  const running = new Map<string, RunningRead<T>>();
  const next = new Map<string, Promise<T>>();

  function start(name: string, read: () => Promise<T>): Promise<T> {
    const current = { atMs: now(), result: read() };
    running.set(name, current);
    const finished = (): void => void running.delete(name);
    current.result.then(finished, finished);
    return current.result;
  }

  return (name, sinceMs, read) => {
    const waiting = next.get(name);
    if (waiting) return waiting;
    const current = running.get(name);
    if (!current) return start(name, read);
    if (current.atMs >= sinceMs) return current.result;
    const begin = (): Promise<T> => {
      next.delete(name);
      return start(name, read);
    };
    const queued = current.result.then(begin, begin);
    next.set(name, queued);
    return queued;
  };
}
