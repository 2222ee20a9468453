import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { MachineFacts } from './machine.ts';
import type { Timing } from './statistics.ts';

/** One line of a bench's table. */
export interface Measurement {
  what: string;
  timing: Timing;
  /** Milliseconds by stage, from `Server-Timing` */
  stages?: Record<string, number>;
  /** Processor time of each part per operation, ms */
  cpuMs?: Readonly<Record<string, number>>;
  /** Other useful values, e.g. ratios to a baseline of the same run */
  more?: Record<string, number | string>;
}

export interface BenchResult {
  measurements: Measurement[];
  /** Synthetic or simplified parts of the measurement, in full sentences */
  notes: string[];
  /** Problems with the result: the command fails if there are any */
  failures?: string[];
}

export interface BenchOptions {
  /** Number of memories, for benches that let the caller choose */
  memories?: number | undefined;
}

export interface Bench {
  name: string;
  about: string;
  /** Runs only when it is named on the command line */
  long?: true;
  run(progress: (step: string) => void, options?: BenchOptions): Promise<BenchResult>;
}

/** For each measurement, the run with the lowest p50: other programs on a shared machine can only make a run slower. */
export function betterOf(runs: readonly BenchResult[]): BenchResult {
  const [first, ...others] = runs as [BenchResult, ...BenchResult[]];
  if (others.length === 0) return first;
  const measurements = first.measurements.map((measurement, i) =>
    others
      .map((run) => run.measurements[i]!)
      .reduce((best, other) => (other.timing.p50 < best.timing.p50 ? other : best), measurement),
  );
  const note = `The better of ${runs.length} runs for each line, by p50; other programs were using the machine.`;
  const failures = runs.flatMap((run) => run.failures ?? []);
  return { measurements, notes: [...first.notes, note], ...(failures.length > 0 ? { failures } : {}) };
}

const resultsDirectory = new URL('../../results/', import.meta.url);

/** Saves the result as `<date>-<name>.json`; returns the path. */
export async function saveResult(bench: Bench, machine: MachineFacts, result: BenchResult): Promise<string> {
  await mkdir(resultsDirectory, { recursive: true });
  const file = fileURLToPath(
    new URL(`${new Date().toISOString().slice(0, 10)}-${bench.name}.json`, resultsDirectory),
  );
  const content = { bench: bench.name, about: bench.about, at: new Date().toISOString(), machine, ...result };
  await writeFile(file, `${JSON.stringify(content, null, 2)}\n`);
  return file;
}

export function printResult(bench: Bench, { measurements, notes, failures }: BenchResult): void {
  console.log(`\n${bench.name}: ${bench.about}\n`);
  const width = Math.max(...measurements.map(({ what }) => what.length));
  console.log(`${''.padEnd(width)}      p50      p95     rate`);
  for (const { what, timing, stages, cpuMs, more } of measurements) {
    const ms = (value: number): string => `${value} ms`.padStart(9);
    console.log(
      `${what.padEnd(width)}${ms(timing.p50)}${ms(timing.p95)}${`${timing.perSecond}/s`.padStart(9)}`,
    );
    if (stages) console.log(`  ${stagesLine(stages)}`);
    if (cpuMs && Object.keys(cpuMs).length > 0) console.log(`  processor ms each: ${listed(cpuMs)}`);
    if (more) console.log(`  ${listed(more)}`);
  }
  for (const note of notes) console.log(`- ${note}`);
  for (const failure of failures ?? []) console.log(`FAILED: ${failure}`);
}

function stagesLine(stages: Readonly<Record<string, number>>): string {
  const { total, ...named } = stages;
  const parts = Object.entries(named).sort((a, b) => b[1] - a[1]);
  // Medians of the stages: they do not add up to the median of the whole
  const whole = parts.reduce((sum, [, ms]) => sum + ms, 0);
  const lines = parts.map(([name, ms]) => `${name} ${ms} (${Math.round((ms / whole) * 100)} %)`);
  return `dominates: ${lines.join(', ')}`;
}

function listed(values: Record<string, number | string>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}
