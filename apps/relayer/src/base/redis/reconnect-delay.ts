/** How long to wait before connection attempt `retries` + 1, in ms: doubling from 50 ms, never above 2 s. */
export function reconnectDelay(retries: number): number {
  return Math.min(50 * 2 ** retries, 2_000);
}
