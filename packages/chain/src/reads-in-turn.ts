/** Returns the result of a read of `name` that started at or after `sinceMs`. */
export type ReadInTurn<T> = (name: string, sinceMs: number, read: () => Promise<T>) => Promise<T>;

interface Flight<T> {
  atMs: number;
  result: Promise<T>;
}

/**
 * Fresh reads for any number of callers, with one read per name at a time: a caller joins a read that started late
 * enough, and all others share the next one. `now`: milliseconds of a clock that never goes back, as for `sinceMs`.
 */
export function createReadsInTurn<T>(now: () => number): ReadInTurn<T> {
  const running = new Map<string, Flight<T>>();
  const next = new Map<string, Promise<T>>();

  function start(name: string, read: () => Promise<T>): Promise<T> {
    const flight = { atMs: now(), result: read() };
    running.set(name, flight);
    const landed = (): void => void running.delete(name);
    flight.result.then(landed, landed);
    return flight.result;
  }

  return (name, sinceMs, read) => {
    const waiting = next.get(name);
    if (waiting) return waiting;
    const flight = running.get(name);
    if (!flight) return start(name, read);
    if (flight.atMs >= sinceMs) return flight.result;
    const begin = (): Promise<T> => {
      next.delete(name);
      return start(name, read);
    };
    const queued = flight.result.then(begin, begin);
    next.set(name, queued);
    return queued;
  };
}
