import { backoffMs } from '@memrelay/protocol/backoff';

/**
 * Exponential backoff with jitter: 1 s, 3 s, 9 s … up to a minute, each multiplied by 0.5 to 1. Five upload
 * attempts therefore outlast a publisher that is unavailable for 20 seconds, for example during a restart.
 */
export function retryDelayMs(attempt: number, random: () => number = Math.random): number {
  return Math.round(backoffMs(attempt + 1, { firstMs: 1_000, maxMs: 60_000, factor: 3 }, random));
}
