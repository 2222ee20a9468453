import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { durability } from '../base/machine.ts';
import type { Bench, Measurement } from '../base/report.ts';
import { sentence } from '../base/sentences.ts';
import { measure, rounded } from '../base/statistics.ts';
import { startFloor } from '../baselines/floor.ts';
import { benchClient } from '../system/bench-client.ts';
import { type BenchSystem, startBenchSystem, startServices } from '../system/memrelay-system.ts';
import { cpuSince, cpuSoFar } from '../system/processes.ts';

const concurrencies = [1, 8] as const;
/** Operations at each concurrency */
const counts = { 1: 200, 8: 1_200 } as const;
const embeddedCounts = { 1: 100, 8: 300 } as const;

/** A repeated text is stored once, so each is different, up to 10,000 of them. */
let texts = 0;
function nextText(): string {
  const number = texts++;
  return sentence(number % 1_000, Math.floor(number / 1_000));
}

export const acceptBench: Bench = {
  name: 'accept',
  about: 'POST /api/remember until its 202: signed, sealed, durable',
  async run(progress) {
    const measurements: Measurement[] = [];
    const services = await startServices();
    try {
      progress('starting on Postgres and Redis');
      const system = await startBenchSystem(services);
      try {
        const raw = await baseline(services.databaseUrl, progress);
        measurements.push(...raw);
        const compare = (own: Measurement[]): Measurement[] =>
          own.map((each, i) => ({
            ...each,
            more: { 'p50 over baseline': rounded(each.timing.p50 / raw[i]!.timing.p50) },
          }));
        progress('accepting while uploads wait');
        const goOn = system.pauseUploads();
        measurements.push(...compare(await accepting(system, 'Postgres + Redis, uploads elsewhere', counts)));
        goOn();
        progress('accepting while everything runs on this machine');
        measurements.push(
          ...compare(await accepting(system, 'Postgres + Redis, uploads on this machine', counts)),
        );
      } finally {
        await system.stop();
      }
      const client = new Client({ connectionString: services.databaseUrl });
      await client.connect();
      const settings = await durability(client);
      await client.end();
      measurements[0]!.more = settings;
    } finally {
      await services.stop();
    }
    progress('starting on the embedded defaults');
    const embedded = await startBenchSystem();
    try {
      const goOn = embedded.pauseUploads();
      measurements.push(...(await accepting(embedded, 'embedded, uploads elsewhere', embeddedCounts)));
      goOn();
    } finally {
      await embedded.stop();
    }
    return {
      measurements,
      notes: [
        'Texts are synthetic sentences of about 100 bytes; each becomes an envelope of 1.7 KB. Embedding continues in the background, with the built-in lexical embedder.',
        '"uploads elsewhere": the blob store is stopped while measuring, as if store and chain ran on other machines. "uploads on this machine": both run on the same cores and compete for them.',
        'Baseline: a Fastify server that verifies a signature, seals and inserts one row, without account, nonce, outbox or idempotency key.',
        'The client is the SDK in the bench process, on the same machine.',
      ],
    };
  },
};

async function baseline(databaseUrl: string, progress: (step: string) => void): Promise<Measurement[]> {
  progress('measuring the baseline');
  const floor = await startFloor(databaseUrl);
  try {
    await measure(100, 8, floor.accept);
    const results: Measurement[] = [];
    for (const concurrency of concurrencies)
      results.push({
        what: `baseline, ${concurrency} at once`,
        timing: await measure(counts[concurrency], concurrency, floor.accept),
      });
    return results;
  } finally {
    await floor.stop();
  }
}

async function accepting(
  system: BenchSystem,
  where: string,
  operations: Record<1 | 8, number>,
): Promise<Measurement[]> {
  const { memrelay, takeStages } = benchClient(system, 'bench');
  const accept = () => memrelay.remember(nextText());
  const results: Measurement[] = [];
  await measure(60, 4, accept);
  for (const concurrency of concurrencies) {
    // Waits until the queue of the previous measurement is embedded, so that each starts in the same state
    await wait(3_000);
    takeStages();
    const before = cpuSoFar();
    const timing = await measure(operations[concurrency], concurrency, accept);
    results.push({
      what: `${where}, ${concurrency} at once`,
      timing,
      stages: takeStages(),
      cpuMs: cpuSince(before, operations[concurrency]),
    });
  }
  memrelay.destroy();
  return results;
}
