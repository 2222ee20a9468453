import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { MemRelayError } from '@memrelay/sdk/errors';
import type { Bench, Measurement } from '../base/report.ts';
import { sentence } from '../base/sentences.ts';
import { measure, percentile, rounded } from '../base/statistics.ts';
import { type FaultySystem, startFaultySystem } from '../system/faulty-system.ts';

const operations = 400;
const concurrency = 4;
/** The last line runs for about `kills` kills, each this long after the sidecar is running again */
const killEveryMs = 5_000;
const kills = 4;

/** Like an app that does not give up: when the SDK has used up its attempts, calls it again with the same idempotency key. */
async function remember({ client }: FaultySystem): Promise<void> {
  const text = nextText();
  for (const idempotencyKey = randomUUID(); ; )
    try {
      await client.remember(text, { idempotencyKey });
      return;
    } catch (error) {
      if (!(error instanceof MemRelayError) || !error.retryable) throw error;
    }
}

/** A repeated text is stored once, so each text is different. */
let texts = 0;
const nextText = (): string => `${sentence(texts % 1_000, 0)} (${texts++})`;

export const acceptFaultsBench: Bench = {
  name: 'accept-faults',
  about: 'POST /api/remember until its 202 while uploads fail, and while the sidecar is killed',
  async run(progress) {
    progress('starting');
    const system = await startFaultySystem();
    try {
      await measure(100, concurrency, () => remember(system));
      const measurements: Measurement[] = [];
      for (const [what, begin] of faults) {
        await settled(system);
        progress(what);
        const end = begin(system);
        measurements.push(await accepting(system, what, operations));
        end();
      }
      await settled(system);
      progress('the sidecar is killed');
      const stopKilling = system.killSidecarEvery(killEveryMs);
      const killed = await acceptingFor(system, 'sidecar killed, each after 5 s', killEveryMs * (kills + 1));
      killed.more = { ...killed.more, kills: await stopKilling() };
      measurements.push(killed);
      const [healthy] = measurements as [Measurement];
      for (const each of measurements.slice(1))
        each.more = {
          ...each.more,
          'p50 over no fault': rounded(each.timing.p50 / healthy.timing.p50),
          'p99 over no fault': rounded(Number(each.more!['p99 ms']) / Number(healthy.more!['p99 ms'])),
        };
      await settled(system);
      const { jobs, memoryCount: stored } = await system.client.stats();
      return {
        measurements,
        notes: [
          `${operations} calls, ${concurrency} at a time, through the SDK, which retries whatever the server could not accept, and retried again after its last attempt; on Postgres and Redis, quilts of at most 20.`,
          'Uploads continue behind the accepts, so the cost of their retries is included. A killed sidecar stops its relayer, which is restarted: with one relayer the SDK waits in the meantime; with several the others respond.',
          `Of ${texts} accepted memories ${stored} are stored at the end and ${jobs.failed} are kept as failed, to be retried.`,
        ],
        ...(stored + jobs.failed === texts ? {} : { failures: ['memories that were accepted are gone'] }),
      };
    } finally {
      await system.stop();
    }
  },
};

const nothing = (): void => undefined;
const faults: readonly [string, (system: FaultySystem) => () => void][] = [
  ['no fault', () => nothing],
  ...[500, 429].map((status): [string, (system: FaultySystem) => () => void] => [
    `publisher answers ${status}`,
    (system) => {
      system.publisher(status);
      return () => system.publisher(undefined);
    },
  ]),
  ['publisher takes up to 2 s', (system) => system.slowPublisher(2_000)],
  [
    'publisher cuts the connection',
    (system) => {
      system.publisher('drop');
      return () => system.publisher(undefined);
    },
  ],
];

/** Waits until the queue is empty and failed jobs have been retried, so that each measurement starts in the same state. */
async function settled({ client }: FaultySystem): Promise<void> {
  for (;;) {
    const { jobs } = await client.stats();
    for (const id of jobs.failedIds ?? []) await client.retryJob(id).catch(() => undefined);
    if (jobs.running === 0 && jobs.failed === 0) return;
    await wait(500);
  }
}

async function accepting(system: FaultySystem, what: string, count: number): Promise<Measurement> {
  const times: number[] = [];
  const timing = await measure(count, concurrency, async () => {
    const started = performance.now();
    await remember(system);
    times.push(performance.now() - started);
  });
  return { what, timing, more: { 'p99 ms': rounded(percentile(times, 0.99)) } };
}

async function acceptingFor(system: FaultySystem, what: string, ms: number): Promise<Measurement> {
  const until = performance.now() + ms;
  const times: number[] = [];
  const started = performance.now();
  const lane = async (): Promise<void> => {
    while (performance.now() < until) {
      const begun = performance.now();
      await remember(system);
      times.push(performance.now() - begun);
      // About the same rate as in the lines above, so that the queue does not become the bottleneck
      await wait(50);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => rounded(percentile(times, share)));
  const perSecond = rounded((times.length * 1000) / (performance.now() - started));
  return { what, timing: { count: times.length, p50: p50!, p95: p95!, perSecond }, more: { 'p99 ms': p99! } };
}
