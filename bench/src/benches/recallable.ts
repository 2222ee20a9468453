import type { MemRelay } from '@memrelay/sdk/mem-relay';
import type { Bench, Measurement } from '../base/report.ts';
import { sentence } from '../base/sentences.ts';
import { percentile, rounded, type Timing } from '../base/statistics.ts';
import { benchClient } from '../system/bench-client.ts';
import { type BenchSystem, startBenchSystem, startServices } from '../system/memrelay-system.ts';

const memories = 40;

export const recallableBench: Bench = {
  name: 'recallable',
  about: 'from the 202 until a recall finds the memory (include_pending), and until it is done',
  async run(progress) {
    const measurements: Measurement[] = [];
    const services = await startServices();
    try {
      progress('starting on Postgres and Redis');
      const system = await startBenchSystem(services);
      measurements.push(...(await following(system, 'Postgres + Redis').finally(() => system.stop())));
    } finally {
      await services.stop();
    }
    progress('starting on the embedded defaults');
    const embedded = await startBenchSystem();
    measurements.push(...(await following(embedded, 'embedded').finally(() => embedded.stop())));
    return {
      measurements,
      notes: [
        'One memory at a time, polled without a pause, so the polling itself takes part of the processor.',
        'Chain, key servers and blob store run on this machine: `done` includes a real upload, two chain transactions and fsync.',
      ],
    };
  },
};

async function following(system: BenchSystem, where: string): Promise<Measurement[]> {
  const { memrelay } = benchClient(system, 'bench');
  await memrelay.rememberAndWait(sentence(0, 0));
  const recallable: number[] = [];
  const done: number[] = [];
  for (let i = 1; i <= memories; i++) {
    const text = sentence(i, 0);
    const { jobId } = await memrelay.remember(text);
    const accepted = performance.now();
    await untilFound(memrelay, text);
    recallable.push(performance.now() - accepted);
    while ((await memrelay.job(jobId)).status === 'running');
    done.push(performance.now() - accepted);
  }
  memrelay.destroy();
  return [
    { what: `${where}, recallable`, timing: timingOf(recallable) },
    { what: `${where}, done`, timing: timingOf(done) },
  ];
}

async function untilFound(memrelay: MemRelay, text: string): Promise<void> {
  for (;;) {
    const { results } = await memrelay.recall(text, { limit: 1 });
    if (results[0]?.text === text) return;
  }
}

function timingOf(times: readonly number[]): Timing {
  const total = times.reduce((sum, ms) => sum + ms, 0);
  return {
    count: times.length,
    p50: rounded(percentile(times, 0.5)),
    p95: rounded(percentile(times, 0.95)),
    perSecond: rounded((times.length * 1000) / total),
  };
}
