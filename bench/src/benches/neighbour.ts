import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { parsePrivateKey } from '@memrelay/chain/key-file';
import { AccountOwner } from '@memrelay/sdk/account/account-owner';
import { MemRelayError } from '@memrelay/sdk/errors';
import { MemRelay } from '@memrelay/sdk/mem-relay';
import type { Bench } from '../base/report.ts';
import { sentence } from '../base/sentences.ts';
import { measure, median, rounded } from '../base/statistics.ts';
import { benchClient } from '../system/bench-client.ts';
import { type BenchSystem, startBenchSystem, startServices } from '../system/memrelay-system.ts';

/** Units a second that the limit allows, and requests of one unit that the greedy owner sends */
const allowedPerSecond = 10;
const sentPerSecond = 10 * allowedPerSecond;
const rounds = 5;
const recallsPerRound = 50;
/** The modest owner stays below its limit */
const pauseMs = 1_000 / allowedPerSecond;
const maxRatio = 1.2;

export const neighbourBench: Bench = {
  name: 'neighbour',
  about: 'recalls of one owner while another sends ten times its limit',
  async run(progress) {
    const services = await startServices();
    try {
      progress('starting on Postgres and Redis');
      const system = await startBenchSystem(services, {
        RATE_LIMIT_PER_MINUTE: String(allowedPerSecond * 60),
      });
      try {
        return await compare(system, progress);
      } finally {
        await system.stop();
      }
    } finally {
      await services.stop();
    }
  },
};

async function compare(system: BenchSystem, progress: (step: string) => void) {
  const modest = benchClient(system, 'bench').memrelay;
  const greedy = await otherClient(system);
  const texts = Array.from({ length: 100 }, (_, i) => ({ text: sentence(i, 0) }));
  await modest.waitForJobs((await modest.rememberBulk(texts)).jobIds);
  const recall = async (i: number) => {
    await modest.recall(texts[i % texts.length]!.text);
  };
  progress('using up the budget of the greedy owner');
  const used = flood(greedy);
  while (used.counts.refused === 0) await wait(50);
  await used.stop();
  const timings = { alone: [] as Timed[], together: [] as Timed[] };
  const counts = { served: 0, refused: 0 };
  for (let round = 0; round < rounds; round++) {
    progress(`round ${round + 1} of ${rounds}`);
    timings.alone.push(await timed(recall));
    const other = flood(greedy);
    timings.together.push(await timed(recall));
    await other.stop();
    counts.served += other.counts.served;
    counts.refused += other.counts.refused;
  }
  for (const client of [modest, greedy]) client.destroy();
  const ratios = timings.together.map(({ p50 }, i) => p50 / timings.alone[i]!.p50);
  const ratio = rounded(median(ratios));
  const best = (all: readonly Timed[]): Timed => all.reduce((a, b) => (b.p50 < a.p50 ? b : a));
  return {
    measurements: [
      { what: 'recall, alone', timing: best(timings.alone) },
      {
        what: 'recall, next to a greedy owner',
        timing: best(timings.together),
        more: { 'p50 over alone': ratio, ...counts },
      },
    ],
    notes: [
      `The greedy owner sends ${sentPerSecond} requests of one unit a second, ten times what it may. Both clients run in the bench process, which competes for the same processors.`,
      'The rounds alternate; the ratio is the median of the rounds.',
    ],
    ...(ratio > maxRatio ? { failures: [`the ratio ${ratio} is above ${maxRatio}`] } : {}),
  };
}

type Timed = Awaited<ReturnType<typeof measure>>;

/** Recalls one after the other with pauses, which do not count. */
async function timed(recall: (i: number) => Promise<void>): Promise<Timed> {
  const timings: Timed[] = [];
  for (let i = 0; i < recallsPerRound; i++) {
    timings.push(await measure(1, 1, () => recall(i)));
    await wait(pauseMs);
  }
  const p50s = timings.map(({ p50 }) => p50).sort((a, b) => a - b);
  const at = (share: number): number => p50s[Math.floor(p50s.length * share)]!;
  const seconds = p50s.reduce((sum, ms) => sum + ms, 0) / 1000;
  return { count: p50s.length, p50: at(0.5), p95: at(0.95), perSecond: rounded(p50s.length / seconds) };
}

/** Sends requests at a constant rate without retries, until it is stopped. */
function flood(client: MemRelay) {
  const counts = { served: 0, refused: 0 };
  const open = new Set<Promise<void>>();
  const send = async (): Promise<void> => {
    try {
      await client.namespaces();
      counts.served += 1;
    } catch (error) {
      if (!(error instanceof MemRelayError) || error.code !== 'rate_limited') throw error;
      counts.refused += 1;
    }
  };
  const timer = setInterval(() => {
    const sent = send().finally(() => open.delete(sent));
    open.add(sent);
  }, 1_000 / sentPerSecond);
  return {
    counts,
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
    },
  };
}

/** A client of another owner on the same relayer. */
async function otherClient(system: BenchSystem): Promise<MemRelay> {
  const serverUrl = system.credentials.relayerUrl;
  const [wallet, key] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
  const owner = await AccountOwner.connect({ serverUrl, signer: parsePrivateKey(wallet) });
  const pair = parsePrivateKey(key);
  const { accountId } = await owner.createAccount({
    publicKey: Buffer.from(pair.getPublicKey().toRawBytes()).toString('hex'),
    address: pair.toSuiAddress(),
    label: 'bench',
  });
  return MemRelay.create({ key, accountId, serverUrl, maxAttempts: 1 });
}
