/**
 * `npm run faults:uploads`: stores memories while processes are killed, and checks payments and objects on chain. Writes its
 * result to `bench/results/` and fails if a promise was broken.
 */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startPostgres } from '../../src/services/postgres.ts';
import { startRedis } from '../../src/services/redis.ts';
import { runUploads, type UploadResult, type UploadRun } from './run-uploads.ts';

const { values } = parseArgs({
  options: {
    memories: { type: 'string', default: '200' },
    kills: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    /** relay, publisher, tokens (a publisher that requires them), shared (two relayers, one pool of wallets) */
    runs: { type: 'string', default: 'relay,publisher,tokens,shared' },
    /** sidecar, relayer, or both */
    kill: { type: 'string', default: 'sidecar' },
    'answer-delay-ms': { type: 'string', default: '150' },
    /** Maximum memories per quilt; 1: one blob each */
    'quilt-items': { type: 'string', default: '1' },
    /** Added to the name of the result */
    name: { type: 'string', default: 'uploads' },
  },
});
const seed = Number(values.seed);
const common = {
  memories: Number(values.memories),
  kills: Number(values.kills),
  victims:
    values.kill === 'both' ? ['sidecar', 'relayer'] : [values.kill === 'relayer' ? 'relayer' : 'sidecar'],
  answerDelayMs: Number(values['answer-delay-ms']),
  wallets: 3,
  quiltItems: Number(values['quilt-items']),
  freesLeases: false,
  seed,
  onProgress: (line: string) => void process.stderr.write(`${line}\n`),
} satisfies Partial<UploadRun>;
const runs: Record<string, UploadRun> = {
  relay: { ...common, path: 'relay', relayers: 1, drain: true },
  publisher: { ...common, path: 'publisher', relayers: 1, drain: false },
  tokens: { ...common, path: 'tokens', relayers: 1, drain: false },
  shared: { ...common, path: 'relay', relayers: 2, drain: false },
};

const selected = values.runs.split(',').map((name) => {
  const run = runs[name];
  if (!run) throw new Error(`--runs: unknown run "${name}"; known runs: ${Object.keys(runs).join(', ')}`);
  return { name, run };
});
const services: { stop(): Promise<void> }[] = [];
try {
  if (!process.env.MEMRELAY_TEST_DATABASE_URL) {
    const [postgres, redis] = [await startPostgres(), await startRedis()];
    services.push(postgres, redis);
    process.env.MEMRELAY_TEST_DATABASE_URL = postgres.url;
    process.env.MEMRELAY_TEST_REDIS_URL = redis.url;
  }
  const results: Record<string, UploadResult> = {};
  for (const { name, run } of selected) {
    process.stderr.write(`${name}: ${run.memories} memories, ${run.kills} kills, seed ${seed}\n`);
    results[name] = await runUploads(run);
    process.stderr.write(`${name}: ${results[name].broken.length} broken promises\n`);
  }
  await keep(results);
  const keepsAllPromises = Object.values(results).every(({ broken }) => broken.length === 0);
  process.exitCode = keepsAllPromises ? 0 : 1;
} finally {
  for (const service of services) await service.stop();
}

async function keep(results: Record<string, UploadResult>): Promise<void> {
  const at = new Date().toISOString();
  const name = `../../../../bench/results/${at.slice(0, 10)}-${values.name}.json`;
  const about = 'memories stored while processes are killed with SIGKILL, checked on chain';
  const { memories, kills, victims, answerDelayMs, quiltItems } = common;
  const content = { about, at, seed, memories, kills, victims, answerDelayMs, quiltItems, results };
  const text = `${JSON.stringify(content, null, 2)}\n`;
  await writeFile(fileURLToPath(new URL(name, import.meta.url)), text);
  process.stdout.write(text);
}
