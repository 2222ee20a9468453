import type { Client } from 'pg';
import type { Bench, Measurement } from '../base/report.ts';
import { question } from '../base/sentences.ts';
import { measure, median, rounded } from '../base/statistics.ts';
import { exactSearch } from '../baselines/exact-search.ts';
import { addNeighbours, neighbourRows, neighbourTenants } from '../seed/neighbours.ts';
import { type RecallWorld, seedWorld } from '../seed/recall-world.ts';
import { type BenchClient, benchClient } from '../system/bench-client.ts';
import { cpuSince, cpuSoFar } from '../system/processes.ts';
import { withSystem } from '../system/with-system.ts';

const hits = 10;
const coldSessions = 8;

export const recallBench: Bench = {
  name: 'recall',
  about: `POST /api/recall, ${hits} hits decrypted, 1536 dimensions`,
  run: (progress) =>
    withSystem(async ({ services, system, database }) => {
      const world = await seedWorld(system, database, services.redisUrl, progress);
      try {
        return { measurements: await measureAll(world, database, progress), notes };
      } finally {
        await world.close();
      }
    }),
};

const notes = [
  'Sentences are synthetic and embedded by the built-in lexical embedder: real models add a network call before the search, which no figure here includes.',
  'Each question has ten good answers; under ten key pairs each was sealed under another key epoch.',
  'All envelopes, vectors and keys are created by the API. Except for the cold reads, the upload was skipped: envelopes went from the job rows directly into the blob cache.',
  'Baseline: the exact nearest-neighbour query alone, in SQL, over one connection, without authentication, decryption or response.',
  `Neighbours: ${neighbourTenants} accounts with ${neighbourRows} memories each in a namespace of the same name, with vectors equal to the owner's.`,
];

async function measureAll(
  world: RecallWorld,
  database: Client,
  progress: (step: string) => void,
): Promise<Measurement[]> {
  const results: Measurement[] = [];
  for (const { name, namespace, facts } of world.sets) {
    progress(`recalling from ${name}`);
    const client = benchClient(world.system, namespace);
    const exact = await exactSearch(database, namespace, hits);
    results.push({ what: `${name}, baseline: exact SQL search alone`, timing: exact });
    await measure(60, 4, (i) => recallTen(client, i % facts));
    for (const concurrency of [1, 8]) {
      const count = concurrency === 1 ? 200 : 800;
      client.takeStages();
      const before = cpuSoFar();
      const timing = await measure(count, concurrency, (i) => recallTen(client, (i * 7) % facts));
      results.push({
        what: `${name}, warm, ${concurrency} at once`,
        timing,
        stages: client.takeStages(),
        cpuMs: cpuSince(before, count),
        more: {
          'p50 over baseline': rounded(timing.p50 / exact.p50),
          'key pairs of the hits': await pairsOf(world, client),
        },
      });
    }
    results.push(await coldSessionsOf(world, name, namespace));
    client.memrelay.destroy();
  }
  progress('recalling from the aggregator');
  results.push(await coldBlobs(world));
  progress(`adding ${neighbourTenants} neighbours`);
  results.push(await besideNeighbours(world, database));
  return results;
}

/** Throws if the response does not have ten memories, because a figure for fewer would not be comparable. */
async function recallTen({ memrelay }: BenchClient, fact: number): Promise<string[]> {
  const { results } = await memrelay.recall(question(fact), { limit: hits });
  if (results.length !== hits) throw new Error(`${results.length} of ${hits} memories were recalled`);
  return results.map(({ text }) => text);
}

/** Median number of key pairs among the hits of one question. */
async function pairsOf(world: RecallWorld, { memrelay }: BenchClient): Promise<number> {
  const counts: number[] = [];
  for (let fact = 0; fact < 20; fact++) {
    const { results } = await memrelay.recall(question(fact), { limit: hits });
    counts.push(new Set(results.map(({ blobId }) => world.epochOfBlob.get(blobId ?? ''))).size);
  }
  return median(counts);
}

async function coldSessionsOf(world: RecallWorld, name: string, namespace: string): Promise<Measurement> {
  const clients = Array.from({ length: coldSessions }, () => benchClient(world.system, namespace));
  const timing = await measure(coldSessions, 1, (i) => recallTen(clients[i]!, i));
  const stages = clients[0]!.takeStages();
  for (const { memrelay } of clients) memrelay.destroy();
  return { what: `${name}, first recall of a session`, timing, stages };
}

async function coldBlobs(world: RecallWorld): Promise<Measurement> {
  const { namespace, facts } = world.stored;
  const client = benchClient(world.system, namespace);
  await recallTen(client, 0);
  client.takeStages();
  let spentMs = 0;
  const timing = await measure(facts, 1, async (fact) => {
    const started = performance.now();
    await world.forgetCached();
    spentMs += performance.now() - started;
    await recallTen(client, fact);
  });
  const stages = client.takeStages();
  client.memrelay.destroy();
  const forgetMs = spentMs / facts;
  return {
    what: `${facts * 10} stored memories, blob cache cold, 1 at once`,
    timing: { ...timing, p50: rounded(timing.p50 - forgetMs), p95: rounded(timing.p95 - forgetMs) },
    stages,
  };
}

async function besideNeighbours(world: RecallWorld, database: Client): Promise<Measurement> {
  const { namespace, name, facts } = world.sets.at(-1)!;
  const client = benchClient(world.system, namespace);
  const asked = 40;
  const ask = async (): Promise<string[]> => {
    const answers: string[] = [];
    for (let fact = 0; fact < asked; fact++) answers.push(...(await recallTen(client, fact)));
    return answers;
  };
  const before = await ask();
  await addNeighbours(database, namespace);
  const after = await ask();
  const same = after.filter((text, i) => text === before[i]).length;
  // Warms up: the new rows have evicted the owner's from Postgres' buffers
  await measure(200, 4, (i) => recallTen(client, (i * 7) % facts));
  client.takeStages();
  const timing = await measure(200, 1, (i) => recallTen(client, (i * 7) % facts));
  const stages = client.takeStages();
  client.memrelay.destroy();
  const rows = `${same} of ${asked * hits}`;
  return {
    what: `${name}, warm, with neighbours, 1 at once`,
    timing,
    stages,
    more: { 'same hits as without': rows },
  };
}
