import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { supervisedVariable } from '@memrelay/process/supervised';

/** A localnet in a separate process, on a free port and a temporary directory. */
export async function startLocalnet() {
  const dataDir = await mkdtemp(join(tmpdir(), 'seal-world-'));
  const main = new URL('../../localnet/src/main.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [main], {
    // Its stdin closes when this process exits, which makes the localnet exit too.
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      ...process.env,
      [supervisedVariable]: '1',
      LOCALNET_PORT: '0',
      LOCALNET_DATA_DIR: dataDir,
      LOG_LEVEL: 'silent',
    },
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line).url));
    child.once('exit', (code) => reject(new Error(`the localnet ended with ${code} before it was ready`)));
  });
  return {
    url,
    async close() {
      child.stdin.end();
      await ended;
      await rm(dataDir, { recursive: true });
    },
  };
}
