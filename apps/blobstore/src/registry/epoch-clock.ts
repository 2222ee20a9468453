/** Epochs by the wall clock, for a registry without a chain. */
export interface EpochSchedule {
  /** The epoch that began at `startedAtMs` (milliseconds since 1970) */
  epoch: number;
  startedAtMs: number;
  durationMs: number;
}

export function epochAt({ epoch, startedAtMs, durationMs }: EpochSchedule, nowMs: number): number {
  return epoch + Math.max(0, Math.floor((nowMs - startedAtMs) / durationMs));
}
