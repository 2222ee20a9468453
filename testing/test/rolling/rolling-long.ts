/**
 * `npm run drill:rolling`: kills one of two relayers behind nginx every few seconds under load. Exits with 1 if an
 * acknowledged write was lost, a read failed, or a tool session could not be opened again.
 */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startPostgres } from '../../src/services/postgres.ts';
import { startRedis } from '../../src/services/redis.ts';
import { killInTurn } from './kill-in-turn.ts';

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '20' }, 'pause-ms': { type: 'string', default: '3000' } },
});
const key = (): string => randomBytes(32).toString('hex');
const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
try {
  const result = await killInTurn({
    backend: {
      databaseUrl: postgres.url,
      redisUrl: redis.url,
      keys: { MEM_SERVER_SECRET: key(), MEM_INDEX_KEY: key(), MEM_WRITER_KEYS: key() },
    },
    kills: Number(values.kills),
    pauseMs: Number(values['pause-ms']),
  });
  const text = `${JSON.stringify({ pause_ms: Number(values['pause-ms']), ...result }, undefined, 2)}\n`;
  const name = `../../../bench/results/${new Date().toISOString().slice(0, 10)}-rolling.json`;
  await writeFile(fileURLToPath(new URL(name, import.meta.url)), text);
  process.stdout.write(text);
  const { lost, duplicates, failedReads, tools } = result;
  process.exitCode = lost + duplicates + failedReads.length + tools.broken.length === 0 ? 0 : 1;
} finally {
  await Promise.all([postgres.stop(), redis.stop()]);
}
