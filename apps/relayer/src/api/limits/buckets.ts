/** A budget of `units`, which refills evenly within `seconds` and never holds more. */
export interface Bucket {
  /** Unique; relayers count together under the same key */
  key: string;
  units: number;
  seconds: number;
}

export interface BucketState {
  /** Whole units left after the request; 0 while the bucket is in debt */
  left: number;
  /** Seconds until the bucket is full again */
  fullInSeconds: number;
  /** Seconds until the bucket has enough for the request; 0 if it had */
  waitSeconds: number;
}

export interface Buckets {
  /**
   * Takes `cost` units from every bucket if all of them have enough, else from none: a refusal by one bucket costs
   * nothing in the others. `forced` takes them in any case, and the bucket is in debt until it has refilled. The states
   * are in the order of the buckets.
   */
  take(buckets: readonly Bucket[], cost: number, forced?: boolean): Promise<BucketState[]>;
}

const microsPerSecond = 1_000_000;
/** Times are rounded to microseconds: without this, a full bucket could lack the last part of a unit. */
export const roundingMicros = 1;

/**
 * A bucket is stored as the time at which it will be full (the generic cell rate algorithm). `missingMicros`: how far
 * away that was before the request. Returns the state after it.
 */
export function stateOf(
  { units, seconds }: Bucket,
  missingMicros: number,
  cost: number,
  isTaken: boolean,
): BucketState {
  const window = seconds * microsPerSecond;
  const perUnit = window / units;
  const wanted = missingMicros + cost * perUnit;
  const missing = isTaken ? wanted : missingMicros;
  return {
    left: Math.max(0, Math.floor((window + roundingMicros - missing) / perUnit)),
    fullInSeconds: missing / microsPerSecond,
    waitSeconds: wanted > window + roundingMicros ? (wanted - window) / microsPerSecond : 0,
  };
}
