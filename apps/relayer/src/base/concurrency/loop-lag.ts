/** How late the event loop is, measured only while it is asked: an idle process is not woken for it. */
export interface LoopLag {
  /**
   * Milliseconds by which the last two timers were late, the smaller of both: one long task alone is no lag. Starts the
   * next timer.
   */
  measure(): number;
}

const timerMs = 10;
/** A measurement is used for at most this long. */
const freshMs = 1_000;

/** `now`: monotonic clock in ms */
export function createLoopLag(now: () => number = () => performance.now()): LoopLag {
  let last = { lateMs: 0, atMs: Number.NEGATIVE_INFINITY };
  let before = last;
  let isMeasuring = false;

  function start(): void {
    isMeasuring = true;
    const dueMs = now() + timerMs;
    setTimeout(() => {
      isMeasuring = false;
      before = last;
      last = { lateMs: Math.max(0, now() - dueMs), atMs: now() };
    }, timerMs).unref();
  }

  return {
    measure() {
      if (!isMeasuring) start();
      return now() - before.atMs > freshMs ? 0 : Math.min(last.lateMs, before.lateMs);
    },
  };
}
