import { MemRelay } from '@memrelay/sdk/mem-relay';
import { median, rounded } from '../base/statistics.ts';
import type { BenchSystem } from './memrelay-system.ts';

/** Milliseconds of each stage, from the relayer's `Server-Timing` header. */
export type Stages = Record<string, number>;

export interface BenchClient {
  memrelay: MemRelay;
  /**
   * Medians of the stages of all responses since the last call, with `outside`, the time spent outside the relayer.
   */
  takeStages(): Stages;
}

/** The SDK as used by an app. Records the stages of its responses. */
export function benchClient(system: BenchSystem, namespace: string): BenchClient {
  let answers: Stages[] = [];
  const memrelay = MemRelay.fromCredentials(system.credentials, {
    namespace,
    async fetch(input, init) {
      const started = performance.now();
      const response = await fetch(input, init);
      const stages = parseStages(response.headers.get('server-timing'));
      if (stages) answers.push({ ...stages, outside: performance.now() - started - (stages.total ?? 0) });
      return response;
    },
  });
  return {
    memrelay,
    takeStages() {
      const names = [...new Set(answers.flatMap((stages) => Object.keys(stages)))];
      const medians = names.map((name) => [
        name,
        rounded(median(answers.map((stages) => stages[name] ?? 0))),
      ]);
      answers = [];
      return Object.fromEntries(medians);
    },
  };
}

function parseStages(header: string | null): Stages | undefined {
  if (header === null) return undefined;
  const entries = header.split(', ').map((stage) => stage.split(';dur='));
  const stages: Stages = Object.fromEntries(entries.map(([name, ms]) => [name, Number(ms)]));
  const { total = 0, ...named } = stages;
  const rest = total - Object.values(named).reduce((sum, ms) => sum + ms, 0);
  return { ...named, rest, total };
}
