import type { Bench, Measurement } from '../report.ts';
import { sentence } from '../sentences.ts';
import { rounded } from '../statistics.ts';
import { benchClient } from '../system/bench-client.ts';
import { type BenchSystem, startBenchSystem, startServices } from '../system/memrelay-system.ts';
import { cpuSince, cpuSoFar } from '../system/processes.ts';

const memories = 400;

export const ingestBench: Bench = {
  name: 'ingest',
  about: 'memories brought all the way to done: accepted in bulk, embedded, uploaded, certified, indexed',
  async run(progress) {
    const measurements: Measurement[] = [];
    const services = await startServices();
    try {
      progress('starting on Postgres and Redis');
      const system = await startBenchSystem(services);
      measurements.push(await ingesting(system, 'Postgres + Redis').finally(() => system.stop()));
    } finally {
      await services.stop();
    }
    progress('starting on the embedded defaults');
    const embedded = await startBenchSystem();
    measurements.push(await ingesting(embedded, 'embedded').finally(() => embedded.stop()));
    return {
      measurements,
      notes: [
        `${memories} memories in bulk calls of 20; the times are those of one memory from its bulk call until it is seen as done.`,
        'The rate is bound by the part with the most processor time, or by all parts together where they fill the cores.',
      ],
    };
  },
};

async function ingesting(system: BenchSystem, where: string): Promise<Measurement> {
  const { memrelay } = benchClient(system, 'bench');
  await memrelay.rememberAndWait(sentence(0, 0));
  const items = Array.from({ length: memories }, (_, i) => ({ text: sentence(i, 1) }));
  const before = cpuSoFar();
  const started = performance.now();
  const { jobIds } = await memrelay.rememberBulk(items);
  const acceptedMs = performance.now() - started;
  const doneMs: number[] = [];
  const outcomes = await memrelay.waitForJobs(jobIds, {
    timeoutMs: 600_000,
    onProgress(jobs) {
      const done = jobs.filter((job) => job.status === 'done').length;
      while (doneMs.length < done) doneMs.push(performance.now() - started);
    },
  });
  const totalMs = performance.now() - started;
  memrelay.destroy();
  const failed = outcomes.filter((job) => job.status !== 'done').length;
  if (failed > 0) throw new Error(`${failed} of ${memories} memories were not stored`);
  return {
    what: where,
    timing: {
      count: memories,
      p50: rounded(doneMs[Math.floor(memories * 0.5)]!),
      p95: rounded(doneMs[Math.floor(memories * 0.95)]!),
      perSecond: rounded((memories * 1000) / totalMs),
    },
    cpuMs: cpuSince(before, memories),
    more: { 'all accepted after ms': rounded(acceptedMs) },
  };
}
