/** Epochs of a registry without a chain. */
export interface EpochSchedule {
  /** The epoch that began at `startedAtMs` (milliseconds since 1970) */
  epoch: number;
  startedAtMs: number;
  /** Null if epochs are only advanced manually */
  durationMs: number | null;
}

export function epochAt({ epoch, startedAtMs, durationMs }: EpochSchedule, nowMs: number): number {
  if (durationMs === null) return epoch;
  return epoch + Math.max(0, Math.floor((nowMs - startedAtMs) / durationMs));
}

/**
 * The schedule to use after a start. A changed duration starts a new schedule at the current epoch, so that stored
 * blobs keep their number of epochs.
 */
export function resumeSchedule(
  previous: EpochSchedule | undefined,
  durationMs: number | null,
  nowMs: number,
): EpochSchedule {
  if (previous === undefined) return { epoch: 1, startedAtMs: nowMs, durationMs };
  if (previous.durationMs === durationMs) return previous;
  return { epoch: epochAt(previous, nowMs), startedAtMs: nowMs, durationMs };
}
