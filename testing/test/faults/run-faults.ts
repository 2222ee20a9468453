import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { seededRandom } from '../../src/seeded-random.ts';
import { searchFor } from './check/canary.ts';
import { checkMemories } from './check/check-memories.ts';
import { checkObjects } from './check/check-objects.ts';
import { type Findings, mayContinue, noFindings } from './check/findings.ts';
import { settle } from './check/settle.ts';
import type { FaultResult } from './fault-result.ts';
import type { Fault } from './inject/fault.ts';
import { emptyLedger, type Ledger } from './load/ledger.ts';
import { startLoad } from './load/load.ts';
import { progressLine, total } from './report.ts';
import { type FaultWorld, startFaultWorld } from './world/fault-world.ts';

export interface FaultRun {
  seed: number;
  /** The run ends after this number of faults, or when the time is up */
  faults: number;
  minutes: number;
  lanes: readonly Lane[];
  /** Maximum number of memories written per round */
  memoriesPerRound: number;
  accounts: number;
  onProgress: (line: string) => void;
  /** Aborts the run: the world is taken down, and the promise rejects with the signal's reason */
  signal?: AbortSignal;
}

/** Faults that happen one after the other; all lanes run in parallel. */
export interface Lane {
  faults: readonly Fault[];
  /** Number of faults to try per round; only the seed decides which */
  perRound: number;
}

/** Runs a load while faults happen, and checks after each round whether every promise was kept. */
export async function runFaults(run: FaultRun): Promise<FaultResult> {
  const started = performance.now();
  const canary = `canary${randomBytes(12).toString('hex')}`;
  const ledger = emptyLedger();
  const tally: Tally = { injected: new Map(), missed: new Map() };
  const world = await startFaultWorld({ accounts: run.accounts, relayers: 2, note: () => undefined });
  let findings = noFindings();
  let round = 0;
  const result = (): FaultResult => ({
    seed: run.seed,
    seconds: Math.round((performance.now() - started) / 1000),
    rounds: round,
    ...tally,
    errors: ledger.errors,
    written: ledger.written.length,
    unacknowledged: ledger.written.filter(({ jobId }) => !jobId).length,
    forgotten: ledger.written.filter(({ forgotten }) => forgotten === 'yes').length,
    findings,
  });
  const { promise: interrupted, reject } = Promise.withResolvers<never>();
  run.signal?.addEventListener('abort', () => reject(run.signal?.reason));
  const work = async (): Promise<FaultResult> => {
    run.signal?.throwIfAborted();
    const lanes = run.lanes.map(({ faults, perRound }, i) => ({
      deal: dealer(faults, seededRandom(run.seed * 7 + i)),
      perRound,
    }));
    const deadline = started + run.minutes * 60_000;
    const isLate = (): boolean => performance.now() > deadline;
    while (total(tally.injected) < run.faults && !isLate() && mayContinue(findings)) {
      round += 1;
      const seed = run.seed + round;
      const load = startLoad({ world, ledger, round, canary, seed, budget: run.memoriesPerRound });
      await Promise.all(lanes.map(({ deal, perRound }) => inject(world, deal, tally, perRound, isLate)));
      await load.stop();
      findings = await check(world, ledger, round);
      run.onProgress(progressLine(result()));
    }
    if (round > 1) findings = await check(world, ledger, 'all');
    const { files, places } = await searchFor(world, canary);
    findings.canary.push(...places);
    if (files < minFiles) findings.broken.push(`only ${files} files were searched for the canary`);
    return result();
  };
  try {
    return await Promise.race([work(), interrupted]);
  } finally {
    await world.close();
  }
}

/** Postgres alone has more files, so a search of fewer looked in the wrong directories */
const minFiles = 300;

type Tally = Pick<FaultResult, 'injected' | 'missed'>;

async function inject(
  world: FaultWorld,
  deal: () => { fault: Fault; random: () => number },
  { injected, missed }: Tally,
  count: number,
  isLate: () => boolean,
): Promise<void> {
  for (let i = 0; i < count && !isLate(); i++) {
    const { fault, random } = deal();
    await pause(random() * 400);
    const happened = await fault.run(world, random);
    const counts = happened ? injected : missed;
    counts.set(fault.kind, (counts.get(fault.kind) ?? 0) + 1);
  }
}

/** Draws faults from a shuffled deck that contains each as often as its weight, so that all kinds occur evenly. */
function dealer(lane: readonly Fault[], random: () => number) {
  let deck: Fault[] = [];
  return () => {
    if (deck.length === 0) {
      deck = lane.flatMap((fault) => Array.from({ length: fault.weight }, () => fault));
      for (let i = deck.length - 1; i > 0; i--) {
        const j = Math.floor(random() * (i + 1));
        [deck[i], deck[j]] = [deck[j]!, deck[i]!];
      }
    }
    // A separate generator, so that its draws do not change the order of the faults
    return { fault: deck.pop()!, random: seededRandom(Math.floor(random() * 2 ** 32)) };
  };
}

async function check(world: FaultWorld, ledger: Ledger, round: number | 'all'): Promise<Findings> {
  const findings = noFindings();
  findings.broken.push(...(await settle(world)));
  await checkMemories(world, ledger, (one) => round === 'all' || one.round === round, findings);
  await checkObjects(world, ledger, findings);
  // Violations of earlier rounds stay in the result
  ledger.broken.push(...findings.broken);
  findings.broken = [...new Set(ledger.broken)];
  findings.failed = ledger.failed.size;
  return findings;
}
