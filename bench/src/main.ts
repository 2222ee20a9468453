import { parseArgs } from 'node:util';
import { machineFacts } from './base/machine.ts';
import { type Bench, type BenchResult, betterOf, printResult, saveResult } from './base/report.ts';
import { acceptBench } from './benches/accept.ts';
import { acceptFaultsBench } from './benches/accept-faults.ts';
import { blobIdBench } from './benches/blob-id.ts';
import { blobstoreBench } from './benches/blobstore.ts';
import { dashboardBench } from './benches/dashboard.ts';
import { floorBench } from './benches/floor.ts';
import { ingestBench } from './benches/ingest.ts';
import { neighbourBench } from './benches/neighbour.ts';
import { recallBench } from './benches/recall.ts';
import { recallableBench } from './benches/recallable.ts';
import { restoreBench } from './benches/restore.ts';
import { searchBench } from './benches/search.ts';
import { soakBench } from './benches/soak.ts';
import { startBench } from './benches/start.ts';
import { toolSessionsBench } from './benches/tool-sessions.ts';

const benches: readonly Bench[] = [
  floorBench,
  acceptBench,
  acceptFaultsBench,
  recallableBench,
  ingestBench,
  neighbourBench,
  recallBench,
  searchBench,
  blobstoreBench,
  blobIdBench,
  toolSessionsBench,
  startBench,
  dashboardBench,
  soakBench,
  restoreBench,
];

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '1' }, memories: { type: 'string' } },
});
const runs = Math.max(1, Number(values.runs) || 1);
const memories = Number(values.memories) || undefined;
const unknown = positionals.filter((name) => !benches.some((bench) => bench.name === name));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(', ')}. There are:`);
  for (const { name, about } of benches) console.error(`  ${name.padEnd(12)}${about}`);
  process.exit(2);
}
const machine = await machineFacts();
for (const bench of benches) {
  if (positionals.length > 0 ? !positionals.includes(bench.name) : bench.long) continue;
  const results: BenchResult[] = [];
  while (results.length < runs)
    results.push(
      await bench.run((step) => console.error(`${bench.name} ${results.length + 1}/${runs}: ${step} …`), {
        memories,
      }),
    );
  const result = betterOf(results);
  printResult(bench, result);
  if (result.failures?.length) process.exitCode = 1;
  console.log(`Saved to ${await saveResult(bench, machine, result)}`);
}
