/** Larger corrections are ignored: a relayer must not collect signatures for a distant future. */
const maxCorrectionMs = 24 * 3600 * 1000;
/** Smaller differences are network delay and the whole seconds of the Date header. */
const minCorrectionMs = 2_000;

/** The time for timestamps and sessions: the local clock, corrected by the relayer's clock. */
export interface Clock {
  /** Milliseconds since 1970 */
  now(): number;
  /**
   * Adjusts to the time of a `Date` header. Returns true if that changed the clock, so that a rejected request is worth signing
   * again.
   */
  correct(dateHeader: string | null): boolean;
}

export function createClock(localNow: () => number = Date.now): Clock {
  let offset = 0;
  return {
    now: () => localNow() + offset,
    correct(dateHeader) {
      const serverTime = dateHeader === null ? Number.NaN : Date.parse(dateHeader);
      const difference = serverTime - (localNow() + offset);
      if (!(Math.abs(difference) >= minCorrectionMs)) return false;
      if (Math.abs(offset + difference) > maxCorrectionMs) return false;
      offset += difference;
      return true;
    },
  };
}
