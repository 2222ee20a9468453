export interface Backoff {
  /** Upper bound of the first delay, ms */
  firstMs: number;
  /** Upper bound of every delay, ms */
  maxMs: number;
  /** Growth from one attempt to the next; 2 by default */
  factor?: number;
  /**
   * Share of the delay that is random, from 0 to 1: 0.5 (equal jitter, the default) gives delays between half the
   * bound and the bound, 1 (full jitter) between 0 and the bound.
   */
  jitter?: number;
}

/**
 * Exponential backoff with jitter: milliseconds to wait before the next attempt, after `failures` failed ones
 * (1 or more). `random` returns a number from 0 up to 1.
 */
export function backoffMs(failures: number, backoff: Backoff, random: () => number = Math.random): number {
  const { firstMs, maxMs, factor = 2, jitter = 0.5 } = backoff;
  const bound = Math.min(firstMs * factor ** (failures - 1), maxMs);
  return bound * (1 - jitter + jitter * random());
}
