import { expect, test } from 'vitest';
import { keepsAllPromises } from '../faults/check/findings.ts';
import type { Fault } from '../faults/inject/fault.ts';
import { providerFaults, publisherFaults } from '../faults/inject/http-faults.ts';
import { killsAtRandom } from '../faults/inject/kill.ts';
import { killsAtCheckpoints } from '../faults/inject/kill-at.ts';
import { clockJumps, diskFull } from '../faults/inject/machine-faults.ts';
import { table, total } from '../faults/report.ts';
import { runFaults } from '../faults/run-faults.ts';

/** The short form of `npm run test:faults`: each process is killed once, and each dependency fails. */
const hasPostgres =
  process.env.MEMRELAY_TEST_DATABASE_URL !== undefined && process.env.MEMRELAY_TEST_BACKEND !== 'embedded';

const all = [...killsAtRandom, ...killsAtCheckpoints, ...publisherFaults, ...providerFaults];
const once = (...kinds: string[]): Fault[] =>
  kinds.map((wanted) => ({ ...all.find(({ kind }) => kind === wanted)!, weight: 1 }));

const lanes = [
  [
    ...once(
      'kill blobstore',
      'kill localnet',
      'kill postgres',
      'kill redis',
      'kill sidecar at "stored, not reported"',
      'kill relayer at "reported, not written"',
    ),
    { ...clockJumps, weight: 1 },
  ],
  [
    ...once(
      'publisher answers 500',
      'publisher stores after the caller gave up',
      'publisher disconnects in the middle of its response',
      'provider answers 429',
      'provider returns an unrelated body',
    ),
    { ...diskFull, weight: 1 },
  ],
];

/** On a busy machine some faults do not occur in time, and a round takes up to two minutes */
const enough = lanes.flat().length - 5;

test.runIf(hasPostgres)(
  'loses, duplicates and hides nothing on two relayers while every process is killed and dependencies fail',
  async () => {
    const result = await runFaults({
      seed: 7,
      // A fault that does not occur in time is not counted, so another round may follow
      faults: enough,
      minutes: 3,
      lanes: lanes.map((faults) => ({ faults, perRound: faults.length })),
      memoriesPerRound: 90,
      accounts: 2,
      onProgress: () => undefined,
    });
    expect(keepsAllPromises(result.findings), table(result)).toBe(true);
    expect(result.findings.done).toBeGreaterThan(8);
    expect(total(result.injected), table(result)).toBeGreaterThanOrEqual(enough);
  },
  600_000,
);
