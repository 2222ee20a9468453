/**
 * The long form of `kill.test.ts`: `node apps/blobstore/test/kill-long.ts [rounds]`, 500 by default. Writes its
 * result to `bench/results/` and fails if anything is lost, wrong or left over.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runKillRounds } from './kill-rounds.ts';

const rounds = Number(process.argv[2] ?? 500);
const dataDir = await mkdtemp(join(tmpdir(), 'blobstore-kill-'));
const startedAtMs = performance.now();
try {
  const result = await runKillRounds({
    rounds,
    dataDir,
    onRound: (round, acknowledged) => {
      if (round % 25 === 0) process.stderr.write(`${round} kills, ${acknowledged} blobs acknowledged\n`);
    },
  });
  const at = new Date().toISOString();
  const seconds = Math.round((performance.now() - startedAtMs) / 1000);
  const name = `../../../bench/results/${at.slice(0, 10)}-blobstore-kill.json`;
  const content = {
    about: 'a blob store killed with SIGKILL in the middle of stores',
    at,
    rounds,
    seconds,
    ...result,
  };
  await writeFile(fileURLToPath(new URL(name, import.meta.url)), `${JSON.stringify(content, null, 2)}\n`);
  process.stdout.write(`${JSON.stringify(content, null, 2)}\n`);
  const isWhole = [result.lost, result.wrong, result.leftOver].every(({ length }) => length === 0);
  process.exitCode = isWhole ? 0 : 1;
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
