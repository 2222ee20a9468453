/**
 * `npm run drill:backup`: a backup while a relayer is busy, the loss of the machine, and the way back. Exits with 1 if a
 * memory was lost or a request was accepted twice.
 */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startPostgres } from '../../src/services/postgres.ts';
import { startRedis } from '../../src/services/redis.ts';
import { runBackupDrill } from './backup-drill.ts';

const { values } = parseArgs({ options: { memories: { type: 'string', default: '200' } } });
const key = (): string => randomBytes(32).toString('hex');
const result = await runBackupDrill({
  memories: Number(values.memories),
  keys: { MEM_SERVER_SECRET: key(), MEM_INDEX_KEY: key(), MEM_WRITER_KEYS: key() },
  async emptyMachine() {
    const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
    return {
      databaseUrl: postgres.url,
      redisUrl: redis.url,
      async drop() {
        await Promise.all([postgres.stop(), redis.stop()]);
      },
    };
  },
  stoppedAt: (killedAt) => killedAt,
  note: (line) => void process.stderr.write(`${line}\n`),
});
const name = `../../../bench/results/${new Date().toISOString().slice(0, 10)}-backup.json`;
const text = `${JSON.stringify({ memories: Number(values.memories), ...result }, undefined, 2)}\n`;
await writeFile(fileURLToPath(new URL(name, import.meta.url)), text);
process.stdout.write(text);
const { fromBackup, withChain, fromChain, replays } = result;
const isSound =
  [fromBackup, withChain, fromChain].every(({ lost, duplicates }) => lost + duplicates === 0) &&
  Object.keys(replays).every((answer) => !answer.endsWith('accepted'));
process.exitCode = isSound ? 0 : 1;
