import { setTimeout as wait } from 'node:timers/promises';
import { createClient } from '@redis/client';
import type { Client } from 'pg';
import type { Bench, Measurement } from '../base/report.ts';
import { question, sentence, wordingsPerFact } from '../base/sentences.ts';
import { measure, rounded } from '../base/statistics.ts';
import { type Floor, startFloor } from '../baselines/floor.ts';
import { rememberTelling } from '../seed/seed-memories.ts';
import { skipUploads, untilEmbedded, untilIdle } from '../seed/skip-upload.ts';
import { benchClient } from '../system/bench-client.ts';
import type { BenchSystem } from '../system/memrelay-system.ts';
import { type CpuMs, cpuSince, cpuSoFar } from '../system/processes.ts';
import { withSystem } from '../system/with-system.ts';

const hits = 10;
const coldSessions = 8;
const concurrencies = [1, 8] as const;
const counts = { 1: 300, 8: 1_200 } as const;
/** Namespaces to recall from, with facts of ten wordings each */
const sets = [
  { what: '1k', namespace: 'floor-1k', facts: 100 },
  { what: '10k', namespace: 'floor-10k', facts: 1_000 },
] as const;

/** Compares accept and recall with the least that any server could do, in one run, so that the ratios hold on other machines. */
export const floorBench: Bench = {
  name: 'floor',
  about: `accept and recall of ${hits}, compared with the least a server can do, 1536 dimensions`,
  run: (progress) =>
    withSystem(async ({ services, system, database }) => {
      await fill(system, database, services.redisUrl, progress);
      const floor = await startFloor(services.databaseUrl);
      try {
        return { measurements: await measureAll(system, database, floor, progress), notes };
      } finally {
        await floor.stop();
      }
    }),
};

const notes = [
  'Floor: Fastify, one native Ed25519 verification, X25519 and AES-256-GCM of node:crypto, and one INSERT, or an exact search of a table with only these vectors and ten decryptions. It has no accounts, nonces, permissions, idempotency, keywords, blobs or embedding.',
  'Server processor time is that of all processes except the client, per operation. An accept includes embedding, near-duplicates and saving; the blob store is stopped while accepting, so uploads are not included.',
  'Questions are embedded by the built-in embedder. Envelopes were sealed by the API; their upload was skipped, so they come from the blob cache.',
];

async function fill(
  system: BenchSystem,
  database: Client,
  redisUrl: string,
  progress: (step: string) => void,
): Promise<void> {
  const redis = createClient({ url: redisUrl });
  redis.on('error', () => undefined);
  await redis.connect();
  const { memrelay } = benchClient(system, 'unused');
  const goOn = system.pauseUploads();
  const cacheBlob = (blobId: string, envelope: Buffer) => redis.set(`memrelay:blob:v1:${blobId}`, envelope);
  for (let telling = 0; telling < wordingsPerFact; telling++) {
    progress(`storing 1,100 memories, ${telling + 1} of 10`);
    const jobs = await Promise.all(
      sets.map(({ namespace, facts }) =>
        rememberTelling(memrelay, namespace, { from: 0, to: facts }, telling),
      ),
    );
    await untilEmbedded(database, jobs.flat());
    await skipUploads(database, cacheBlob, jobs.flat());
  }
  goOn();
  await untilIdle(database);
  await database.query('VACUUM ANALYZE memory, memory_vector, memory_job');
  memrelay.destroy();
  redis.destroy();
}

async function measureAll(
  system: BenchSystem,
  database: Client,
  floor: Floor,
  progress: (step: string) => void,
): Promise<Measurement[]> {
  const results: Measurement[] = [];
  for (const { what, namespace, facts } of sets) {
    progress(`recalling from ${what}`);
    const search = await floor.search(namespace);
    const client = benchClient(system, namespace);
    const recall = async (i: number): Promise<void> => {
      const { results } = await client.memrelay.recall(question((i * 7) % facts), { limit: hits });
      if (results.length !== hits) throw new Error(`${results.length} of ${hits} memories were recalled`);
    };
    results.push(...(await compare(`recall from ${what}`, search, recall, client.takeStages)));
    client.memrelay.destroy();
  }
  const { namespace } = sets[0];
  const clients = Array.from({ length: coldSessions }, () => benchClient(system, namespace));
  const timing = await measure(coldSessions, 1, (i) =>
    clients[i]!.memrelay.recall(question(i), { limit: hits }),
  );
  results.push({ what: 'first recall of a session', timing });
  for (const { memrelay } of clients) memrelay.destroy();

  progress('accepting');
  const client = benchClient(system, 'accepted');
  const goOn = system.pauseUploads();
  let texts = 0;
  const accept = () =>
    client.memrelay.remember(`${sentence(texts % 1_000, Math.floor(texts++ / 1_000))} No. ${texts}`);
  results.push(...(await compare('accept', floor.accept, accept, client.takeStages)));
  goOn();
  client.memrelay.destroy();
  results[0]!.more = { ...results[0]!.more, ...(await bytesPerMemory(database)) };
  return results;
}

async function compare(
  what: string,
  least: (index: number) => Promise<unknown>,
  ours: (index: number) => Promise<unknown>,
  takeStages: () => Record<string, number>,
): Promise<Measurement[]> {
  const results: Measurement[] = [];
  for (const concurrency of concurrencies) {
    const count = counts[concurrency];
    const at = `${what}, ${concurrency} at once`;
    await measure(100, 4, least);
    let before = cpuSoFar();
    const floor = { what: `${at}: floor`, timing: await measure(count, concurrency, least) };
    const floorMs = serverMs(cpuSince(before, count));
    await measure(100, 4, ours);
    // What the previous operations left to do in the background
    await wait(3_000);
    takeStages();
    before = cpuSoFar();
    const timing = await measure(count, concurrency, ours);
    const stages = takeStages();
    await wait(1_000);
    const cpuMs = cpuSince(before, count);
    results.push(
      { ...floor, more: { 'server processor ms': rounded(floorMs) } },
      {
        what: at,
        timing,
        stages,
        cpuMs,
        more: {
          p99: timing.p99!,
          'server processor ms': rounded(serverMs(cpuMs)),
          'p50 over floor': rounded(timing.p50 / floor.timing.p50),
          'rate over floor': rounded(timing.perSecond / floor.timing.perSecond),
          'processor over floor': rounded(serverMs(cpuMs) / floorMs),
        },
      },
    );
  }
  return results;
}

function serverMs(cpuMs: CpuMs): number {
  return Object.entries(cpuMs).reduce((sum, [part, ms]) => (part === 'bench' ? sum : sum + ms), 0);
}

/** Of the tables and indexes that keep a memory once it is stored. */
async function bytesPerMemory(database: Client): Promise<Record<string, number>> {
  const { rows } = await database.query<{ bytes: number; memories: number }>(
    `SELECT sum(pg_total_relation_size(name::regclass))::float8 AS bytes, (SELECT count(*)::int FROM memory) AS memories
     FROM unnest(ARRAY['memory', 'memory_vector', 'known_text', 'memory_successor']) AS name`,
  );
  return { 'bytes on disk per memory': Math.round(rows[0]!.bytes / rows[0]!.memories) };
}
