/**
 * Exponential backoff with jitter: 1 s, 3 s, 9 s … up to a minute, each of them or down to half. Five upload
 * attempts therefore outlast a publisher that is unavailable for 20 seconds, for example during a restart.
 */
export function retryDelayMs(attempt: number, random: () => number = Math.random): number {
  const ceiling = Math.min(60_000, 1_000 * 3 ** Math.min(attempt, 10));
  return Math.round(ceiling / 2 + (ceiling / 2) * random());
}
