import type { MemRelay } from '@memrelay/sdk/mem-relay';
import type { Bench, Measurement } from '../base/report.ts';
import { question, sentence } from '../base/sentences.ts';
import { percentile, rounded, slope } from '../base/statistics.ts';
import { benchClient } from '../system/bench-client.ts';
import { type MemorySample, type MemorySamples, startMemorySamples } from '../system/memory-samples.ts';
import { startBenchSystem, startServices } from '../system/memrelay-system.ts';
import type { PartName } from '../system/processes.ts';

const defaultMemories = 50_000;
const perSample = 1_000;
const clients = 4;
const namespaces = 10;
/** Recalls after each thousand memories, so that the memory use of reads is included */
const recalls = 20;
/**
 * During this share of the samples (at least five), caches fill and functions are compiled, so it is not evaluated
 */
const warmUp = { share: 0.2, least: 5 };

/** Parts whose memory is judged. The local chain is only shown, because unlike a real network it keeps its objects in memory. */
const judged = ['relayer', 'sidecar', 'blobstore'] as const satisfies PartName[];
const shown = [...judged, 'localnet'] as const;

/**
 * Maximum growth after the warm-up: bytes per stored memory, or MiB, which is normal variation. An allocator returns
 * pages late, so RSS is allowed more.
 */
const room = { live: { perMemory: 200, leastMiB: 6 }, rss: { perMemory: 1_024, leastMiB: 48 } } as const;

export const soakBench: Bench = {
  name: 'soak',
  about: 'memory of the parts while 50,000 memories go all the way to done (--memories N for fewer)',
  long: true,
  async run(progress, { memories = defaultMemories } = {}) {
    const [services, samples] = await Promise.all([startServices(), startMemorySamples()]);
    try {
      progress('starting on Postgres and Redis');
      const system = await startBenchSystem(services, { NODE_OPTIONS: samples.nodeOptions });
      try {
        const { memrelay } = benchClient(system, 'soak');
        const curve = await ingest(memrelay, samples, Math.ceil(memories / perSample), progress);
        memrelay.destroy();
        return judge(curve);
      } finally {
        await system.stop();
      }
    } finally {
      await Promise.all([services.stop(), samples.close()]);
    }
  },
};

/** One point of the curve, after each further thousand memories. */
interface Point {
  ms: number;
  memory: Record<(typeof shown)[number], MemorySample>;
}

async function ingest(
  memrelay: MemRelay,
  samples: MemorySamples,
  steps: number,
  progress: (step: string) => void,
): Promise<Point[]> {
  const curve: Point[] = [];
  for (let step = 0; step < steps; step++) {
    const started = performance.now();
    const texts = Array.from({ length: perSample }, (_, i) => ({
      // With a number, so that no text repeats
      text: `${sentence(i % 1_000, step % 10)} (${step * perSample + i})`,
      namespace: `soak-${i % namespaces}`,
    }));
    const parts = Array.from({ length: clients }, (_, i) => texts.filter((_text, at) => at % clients === i));
    const accepted = await Promise.all(parts.map((part) => memrelay.rememberBulk(part)));
    const jobIds = accepted.flatMap((answer) => answer.jobIds);
    const outcomes = await memrelay.waitForJobs(jobIds, { timeoutMs: 600_000 });
    const failed = outcomes.filter(({ status }) => status !== 'done').length;
    if (failed > 0) throw new Error(`${failed} of ${perSample} memories were not stored`);
    const ms = performance.now() - started;
    for (let i = 0; i < recalls; i++)
      await memrelay.recall(question(i), { namespace: `soak-${i % namespaces}`, limit: 5 });
    const memory = {} as Point['memory'];
    for (const part of shown) memory[part] = await samples.sample(part);
    curve.push({ ms, memory });
    const line = shown
      .map((part) => `${part} ${mib(memory[part].live)} of ${mib(memory[part].rss)}`)
      .join(', ');
    progress(`${(step + 1) * perSample} memories; MiB held, of RSS: ${line}`);
  }
  return curve;
}

function judge(curve: readonly Point[]): Awaited<ReturnType<Bench['run']>> {
  const skipped = Math.max(warmUp.least, Math.ceil(curve.length * warmUp.share));
  const times = curve.map(({ ms }) => ms);
  const timing = {
    count: curve.length * perSample,
    p50: rounded(percentile(times, 0.5)),
    p95: rounded(percentile(times, 0.95)),
    perSecond: rounded((curve.length * perSample * 1000) / times.reduce((sum, ms) => sum + ms, 0)),
  };
  const failures: string[] = [];
  const measurements = shown.map((part): Measurement => {
    const more: Record<string, string> = {};
    for (const what of ['live', 'rss'] as const) {
      const all = curve.map(({ memory }) => memory[part][what]);
      const after = all.slice(skipped);
      const grown = after.length < 2 ? Number.NaN : slope(after) * (after.length - 1);
      const { perMemory, leastMiB } = room[what];
      const allowed = Math.max(leastMiB, (perMemory * after.length * perSample) / 1024 / 1024);
      more[`${what} MiB`] = all.map(mib).join(' ');
      more[`${what} grown by MiB`] = `${mib(grown)} (room for ${mib(allowed)})`;
      const isJudged = judged.some((name) => name === part);
      if (isJudged && grown > allowed) failures.push(`${part} grows: ${what} by ${mib(grown)} MiB`);
    }
    return { what: part, timing, more };
  });
  return {
    measurements,
    failures,
    notes: [
      'One sample per 1,000 memories, after garbage collection: live memory (heap and buffers), and RSS. The times are those of 1,000 memories in bulk calls until all are done.',
      `The growth is that of a line fitted to the samples after the first ${skipped}. The local chain keeps its objects in memory and is not judged.`,
      'Quilts of at most 20, no upload waits for others, the built-in embedder, 20 recalls after each sample.',
    ],
  };
}

const mib = (value: number): string => value.toFixed(1);
