/** Times of one measurement in milliseconds. */
export interface Timing {
  count: number;
  p50: number;
  p95: number;
  p99?: number;
  /** Operations per second over the whole measurement */
  perSecond: number;
}

/** The value below which `share` (0 to 1) of the values lie; NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Slope per step of a line fitted to the values (least squares); NaN for fewer than two. */
export function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let rise = 0;
  let run = 0;
  for (const [i, value] of values.entries()) {
    rise += (i - middle) * (value - mean);
    run += (i - middle) ** 2;
  }
  return rise / run;
}

/** Two decimals below 10, one below 100: a shared machine does not allow more precision. */
export function rounded(value: number): number {
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0;
  return Number(value.toFixed(digits));
}

/** Runs `operation` for 0 … count − 1 with the given concurrency. Throws the first failure. */
export async function measure(
  count: number,
  concurrency: number,
  operation: (index: number) => Promise<unknown>,
): Promise<Timing> {
  const times: number[] = [];
  let next = 0;
  const started = performance.now();
  const lane = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      const begun = performance.now();
      await operation(index);
      times.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  const seconds = (performance.now() - started) / 1000;
  return {
    count,
    p50: rounded(percentile(times, 0.5)),
    p95: rounded(percentile(times, 0.95)),
    p99: rounded(percentile(times, 0.99)),
    perSecond: rounded(count / seconds),
  };
}
