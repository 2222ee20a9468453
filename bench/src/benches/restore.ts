import type { MemRelay } from '@memrelay/sdk/mem-relay';
import type { Bench, BenchResult, Measurement } from '../base/report.ts';
import { question, sentence } from '../base/sentences.ts';
import { percentile, rounded } from '../base/statistics.ts';
import { benchClient } from '../system/bench-client.ts';
import { type MemorySample, startMemorySamples } from '../system/memory-samples.ts';
import { startBenchSystem, startServices } from '../system/memrelay-system.ts';
import { type CpuMs, cpuSince, cpuSoFar } from '../system/processes.ts';

const defaultMemories = 10_000;
/** Memories per call, the maximum allowed */
const perCall = 500;
const clients = 4;
const namespace = 'restored';
const questions = 20;

/** Maximum growth of a part's memory from the first quarter of the calls to the end, MiB. */
const room = { live: 16, rss: 96 } as const;
const judged = ['relayer', 'sidecar'] as const;

type MemoryByPart = Record<(typeof judged)[number], MemorySample>;

export const restoreBench: Bench = {
  name: 'restore',
  about: 'a namespace of 10,000 memories from the chain alone on an empty database (--memories N for fewer)',
  long: true,
  async run(progress, { memories = defaultMemories } = {}) {
    const [services, samples] = await Promise.all([startServices(), startMemorySamples()]);
    try {
      progress('starting on Postgres and Redis');
      const system = await startBenchSystem(services, { NODE_OPTIONS: samples.nodeOptions });
      try {
        const { memrelay } = benchClient(system, namespace);
        await store(memrelay, memories, progress);
        const before = await answers(memrelay);
        progress('starting again on an empty database');
        await system.restartOn(await services.anotherDatabase());
        const cpu = cpuSoFar();
        const calls: { ms: number; restored: number; memory: MemoryByPart }[] = [];
        let restored = 0;
        for (let more = true; more; ) {
          const started = performance.now();
          const answer = await memrelay.restore({ limit: perCall, once: true });
          const ms = performance.now() - started;
          const memory = {
            relayer: await samples.sample('relayer'),
            sidecar: await samples.sample('sidecar'),
          };
          restored += answer.restored;
          calls.push({ ms, restored: answer.restored, memory });
          progress(`${restored} of ${answer.total}; the relayer holds ${mib(memory.relayer.live)} MiB`);
          more = answer.more ?? false;
          if (answer.failed) throw new Error(`${answer.failed.length} were not restored`);
        }
        const cpuMs = cpuSince(cpu, memories);
        const after = await answers(memrelay);
        memrelay.destroy();
        return judge({ memories, restored, calls, cpuMs, same: sameAnswers(before, after) });
      } finally {
        await system.stop();
      }
    } finally {
      await Promise.all([services.stop(), samples.close()]);
    }
  },
};

async function store(memrelay: MemRelay, memories: number, progress: (step: string) => void): Promise<void> {
  const atOnce = 1_000;
  for (let stored = 0; stored < memories; stored += atOnce) {
    progress(`storing: ${stored} of ${memories}`);
    const texts = Array.from({ length: Math.min(atOnce, memories - stored) }, (_, i) => ({
      // With a number, so that no text repeats
      text: `${sentence((stored + i) % 1_000, i % 10)} (${stored + i})`,
    }));
    const parts = Array.from({ length: clients }, (_, i) => texts.filter((_text, at) => at % clients === i));
    const accepted = await Promise.all(parts.map((part) => memrelay.rememberBulk(part)));
    const outcomes = await memrelay.waitForJobs(
      accepted.flatMap(({ jobIds }) => jobIds),
      { timeoutMs: 600_000 },
    );
    const lost = outcomes.filter(({ status }) => status !== 'done').length;
    if (lost > 0) throw new Error(`${lost} memories were not stored`);
  }
}

/** Texts of the hits, nearest first, with their distances. */
type Answers = { text: string; distance: number }[][];

async function answers(memrelay: MemRelay): Promise<Answers> {
  const all: Answers = [];
  for (let i = 0; i < questions; i++)
    all.push((await memrelay.recall(question(i * 7), { limit: 10 })).results);
  return all;
}

/** The share of hits whose text or distance is also in the other result: hits at equal distance may swap places. */
function sameAnswers(before: Answers, after: Answers): number {
  const same = before.flatMap((hits, i) =>
    hits.map(({ text, distance }) =>
      after[i]!.some((hit) => hit.text === text || Math.abs(hit.distance - distance) < 1e-5),
    ),
  );
  return same.filter(Boolean).length / same.length;
}

interface Run {
  memories: number;
  restored: number;
  calls: readonly { ms: number; restored: number; memory: MemoryByPart }[];
  cpuMs: CpuMs;
  same: number;
}

function judge({ memories, restored, calls, cpuMs, same }: Run): BenchResult {
  const times = calls.map(({ ms }) => ms);
  const total = times.reduce((sum, ms) => sum + ms, 0);
  const failures: string[] = [];
  if (restored !== memories) failures.push(`${restored} of ${memories} came back`);
  if (same < 1) failures.push(`${rounded(same * 100)} % of the hits are as before`);
  const settled = Math.floor(calls.length / 4);
  const measurements = judged.map((part): Measurement => {
    const more: Record<string, number | string> = { calls: calls.length, 'hits as before': same };
    for (const what of ['live', 'rss'] as const) {
      const all = calls.map(({ memory }) => memory[part][what]);
      more[`${what} MiB`] = all.map(mib).join(' ');
      const grown = all.at(-1)! - all[settled]!;
      if (grown > room[what]) failures.push(`${part} grows: ${what} by ${mib(grown)} MiB`);
    }
    const timing = {
      count: restored,
      p50: rounded(percentile(times, 0.5)),
      p95: rounded(percentile(times, 0.95)),
      perSecond: rounded((restored * 1000) / total),
    };
    return { what: part, timing, cpuMs, more };
  });
  return {
    measurements,
    failures,
    notes: [
      `Calls of at most ${perCall} memories, one after the other, until none are left; the times are those of a call. The first ones scan the blobs and may restore nothing.`,
      'Memory of relayer and sidecar is measured after each call: live after garbage collection, and RSS.',
      'Chain, blob store and secrets are the same as before, the database is empty, and every blob is read from the aggregator.',
    ],
  };
}

const mib = (value: number): string => value.toFixed(1);
