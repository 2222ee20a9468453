import { maxPatches, quiltBytes } from '@memrelay/chain/quilt-size';
import { encodedBlobLength, storageUnits } from '@memrelay/chain/walrus-sizes';
import type { Bench, Measurement } from '../base/report.ts';
import { sentence } from '../base/sentences.ts';
import { rounded } from '../base/statistics.ts';
import { benchClient } from '../system/bench-client.ts';
import { type BenchSystem, startBenchSystem, startServices } from '../system/memrelay-system.ts';
import { cpuSince, cpuSoFar } from '../system/processes.ts';

const memories = 1_000;

/** Concurrent bulk calls: a single caller would wait for responses most of the time */
const clients = 4;

/** Settings that the rate depends on, for comparison */
const ways = [
  { how: 'in quilts', environment: {} },
  { how: 'a blob each', environment: { STORE_QUILT_MAX_ITEMS: '1' } },
] as const;

export const ingestBench: Bench = {
  name: 'ingest',
  about: 'memories brought all the way to done: accepted in bulk, embedded, uploaded, certified, indexed',
  async run(progress) {
    const measurements: Measurement[] = [];
    for (const { how, environment } of ways) {
      const services = await startServices();
      try {
        progress(`starting on Postgres and Redis, ${how}`);
        const system = await startBenchSystem(services, environment);
        measurements.push(await ingesting(system, `Postgres + Redis, ${how}`).finally(() => system.stop()));
      } finally {
        await services.stop();
      }
      progress(`starting on the embedded defaults, ${how}`);
      const embedded = await startBenchSystem(undefined, environment);
      measurements.push(await ingesting(embedded, `embedded, ${how}`).finally(() => embedded.stop()));
    }
    return {
      measurements,
      notes: [
        `${memories} memories in bulk calls of 20, ${clients} at a time; the times are those of one memory from its bulk call until it is reported as done.`,
        'A quilt has at most 20 memories on the local network, and no upload waits for others.',
        ...[31, 1000].map(costNote),
        'The rate is limited by the part with the most processor time, or by all parts together when they use all cores.',
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
  const parts = Array.from({ length: clients }, (_, i) => items.filter((_item, at) => at % clients === i));
  const accepted = await Promise.all(parts.map((part) => memrelay.rememberBulk(part)));
  const jobIds = accepted.flatMap((answer) => answer.jobIds);
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
    more: {
      'all accepted after ms': rounded(acceptedMs),
      'memories a blob': rounded(memories / new Set(outcomes.map(({ blobId }) => blobOf(blobId!))).size),
    },
  };
}

/** The id of the blob that an id refers to, or that contains its patch: the first 32 bytes. */
function blobOf(id: string): string {
  return Buffer.from(id, 'base64url').toString('hex', 0, 32);
}

/** Bytes of a short memory's envelope, and characters of its name in a quilt */
const envelopeBytes = 1_600;
const nameLength = 65;

/** A note on the storage and price of one memory, computed with the formulas of `memrelay cost`. */
function costNote(nShards: number): string {
  const count = maxPatches(nShards);
  const sizes = new Array<number>(count).fill(envelopeBytes);
  const alone = encodedBlobLength(envelopeBytes, nShards);
  const quilt = encodedBlobLength(quiltBytes(sizes, nameLength, nShards), nShards);
  const each = Math.round(quilt / count);
  return (
    `Over ${nShards} shards a memory takes ${alone} encoded bytes alone (${storageUnits(alone)} units of 1 MiB are paid) and ` +
    `${each} in a quilt of ${count} (${(Number(storageUnits(quilt)) / count).toFixed(3)} units): ${Math.round(alone / each)} times less.`
  );
}
