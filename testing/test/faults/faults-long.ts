/**
 * `npm run test:faults`: puts load on two relayers while processes are killed, disks fill, clocks jump and providers fail.
 * Exits with code 1 if anything was lost, duplicated, or paid twice without being listed.
 */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { keepsAllPromises } from './check/findings.ts';
import { providerFaults, providerTimeout, publisherFaults } from './inject/http-faults.ts';
import { freeze, killsAtRandom } from './inject/kill.ts';
import { killsAtCheckpoints } from './inject/kill-at.ts';
import { clockJumps, diskFull, redisKilledAtWrongTime, storageNodesFail } from './inject/machine-faults.ts';
import { resultFile, table } from './report.ts';
import { runFaults } from './run-faults.ts';

const { values } = parseArgs({
  options: {
    faults: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    minutes: { type: 'string', default: '120' },
    /** Added to the name of the result */
    name: { type: 'string', default: 'faults' },
    /** Number of faults to try before the check */
    'per-round': { type: 'string', default: '50' },
  },
});
const perRound = Number(values['per-round']);
const interruption = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => interruption.abort(new Error(`interrupted by ${name}`)));
const result = await runFaults({
  signal: interruption.signal,
  seed: Number(values.seed),
  faults: Number(values.faults),
  minutes: Number(values.minutes),
  lanes: [
    {
      faults: [...killsAtRandom, ...killsAtCheckpoints, freeze, clockJumps, redisKilledAtWrongTime],
      perRound: perRound * 0.4,
    },
    {
      faults: [...publisherFaults, ...providerFaults, providerTimeout, diskFull, storageNodesFail],
      perRound: perRound * 0.6,
    },
  ],
  memoriesPerRound: perRound * 8,
  accounts: 3,
  onProgress: (line) => void process.stderr.write(`${line}\n`),
});
const name = `../../../../bench/results/${new Date().toISOString().slice(0, 10)}-${values.name}.json`;
await writeFile(fileURLToPath(new URL(name, import.meta.url)), resultFile(result, values));
process.stdout.write(`${table(result)}\n`);
process.exitCode = keepsAllPromises(result.findings) ? 0 : 1;
