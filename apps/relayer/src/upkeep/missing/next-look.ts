const secondMs = 1_000;
const hourMs = 3_600 * secondMs;
const dayMs = 24 * hourMs;

/**
 * In how many ms a blob is looked for again that nobody has had for so long: after half as long again, from an hour up to
 * a day. A suspicion is looked at when its grace ends, not later, and with a grace of less than an hour as often.
 */
export function nextLookInMs(goneForMs: number, graceMs: number): number {
  const pause = Math.min(Math.max(goneForMs / 2, Math.min(hourMs, graceMs)), dayMs);
  return Math.max(secondMs, goneForMs < graceMs ? Math.min(pause, graceMs - goneForMs) : pause);
}
