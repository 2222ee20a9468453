import { spawn } from 'node:child_process';
import { generateKeyPairSync, hash, sign } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { sentence } from '../base/sentences.ts';

/** A server that does the least, to compare with (floor-server.ts). */
export interface Floor {
  accept(index: number): Promise<void>;
  /** Copies the vectors of a namespace into a table of its own. Returns a search of them with one of these vectors. */
  search(namespace: string): Promise<(index: number) => Promise<void>>;
  stop(): Promise<void>;
}

export async function startFloor(databaseUrl: string): Promise<Floor> {
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  await database.query(`CREATE TABLE IF NOT EXISTS floor_job (
    id uuid PRIMARY KEY, account_id bytea NOT NULL, envelope bytea NOT NULL, envelope_sha256 bytea NOT NULL)`);
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const entry = fileURLToPath(new URL('./floor-server.ts', import.meta.url));
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', entry], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      PUBLIC_KEY: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    },
  });
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  let tables = 0;

  async function post(path: string, content: unknown): Promise<void> {
    const body = JSON.stringify(content);
    const timestamp = String(Math.floor(Date.now() / 1000));
    const message = `${timestamp}.POST.${path}.${hash('sha256', body)}`;
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-timestamp': timestamp,
        'x-signature': sign(null, Buffer.from(message), privateKey).toString('hex'),
      },
      body,
    });
    if (!response.ok) throw new Error(`the baseline answered ${response.status}: ${await response.text()}`);
    await response.json();
  }

  return {
    accept: (index) => post('/accept', { text: sentence(index % 1_000, Math.floor(index / 1_000)) }),
    async search(namespace) {
      const table = `floor_vector_${tables++}`;
      await database.query(
        `CREATE TABLE ${table} WITH (toast_tuple_target = 8160) AS
         SELECT memory_id AS id, embedding FROM memory_vector WHERE namespace = '${namespace}'`,
      );
      await database.query(`VACUUM ANALYZE ${table}`);
      return (index) => post('/recall', { table, index });
    },
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await Promise.all([exited, database.end()]);
    },
  };
}
