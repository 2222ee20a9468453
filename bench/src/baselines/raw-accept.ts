import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { sentence } from '../base/sentences.ts';

export interface RawAccept {
  accept(index: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts raw-server.ts on the database of a system, and copies its job table. */
export async function startRawAccept(databaseUrl: string): Promise<RawAccept> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('CREATE TABLE IF NOT EXISTS bench_raw_accept (LIKE memory_job INCLUDING ALL)');
  await client.end();
  const entry = fileURLToPath(new URL('./raw-server.ts', import.meta.url));
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', entry], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, DATABASE_URL: databaseUrl },
  });
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return {
    async accept(index) {
      const response = await fetch(`${url}/accept`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text: sentence(index, 0) }),
      });
      await response.text();
    },
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}
