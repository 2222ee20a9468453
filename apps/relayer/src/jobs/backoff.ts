/** Exponential backoff with full jitter above a floor: 1 s, 2 s, 4 s … up to a minute, each ±half. */
export function retryDelayMs(attempt: number, random: () => number = Math.random): number {
  const ceiling = Math.min(60_000, 1_000 * 2 ** Math.min(attempt, 10));
  return Math.round(ceiling / 2 + (ceiling / 2) * random());
}
