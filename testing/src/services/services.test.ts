import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPostgres } from './find-postgres.ts';
import { startPostgres } from './postgres.ts';
import { findRedis, startRedis } from './redis.ts';
import type { RunningService } from './service.ts';
import { createTestDatabase, ensureTemplate } from './test-database.ts';

const hasPostgres = (await findPostgres())?.pgvector !== undefined;
const hasRedis = findRedis() !== undefined;

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await wait(50);
}

describe.skipIf(!hasPostgres)('Postgres for tests', () => {
  let server: RunningService;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  it('has pgvector and production durability settings', async () => {
    await query(server.url, 'CREATE EXTENSION vector');
    expect(await query(server.url, "SELECT '[1,0]'::vector <=> '[0,1]'::vector AS distance")).toEqual([
      { distance: 1 },
    ]);
    expect(await query(server.url, 'SHOW fsync')).toEqual([{ fsync: 'on' }]);
  });

  it('prepares a template once for many callers and clones it', async () => {
    let prepared = 0;
    const prepare = async (url: string) => {
      prepared += 1;
      await query(url, 'CREATE TABLE kept (n int); INSERT INTO kept VALUES (7)');
    };
    await Promise.all([1, 2, 3].map(() => ensureTemplate(server.url, 'template_memories', prepare)));
    expect(prepared).toBe(1);

    const [one, two] = await Promise.all(
      [1, 2].map(() => createTestDatabase(server.url, 'template_memories')),
    );
    await query(one!.url, 'DELETE FROM kept');
    expect(await query(two!.url, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);

    const stillConnected = new Client({ connectionString: two!.url });
    stillConnected.on('error', () => undefined);
    await stillConnected.connect();
    await Promise.all([one!.drop(), two!.drop()]);
    expect(await query(server.url, "SELECT datname FROM pg_database WHERE datname LIKE 'test_%'")).toEqual(
      [],
    );
  });

  it('leaves no template behind when its preparation fails', async () => {
    const failing = () => Promise.reject(new Error('migration 3 failed'));
    await expect(ensureTemplate(server.url, 'template_broken', failing)).rejects.toThrow(
      'migration 3 failed',
    );
    const left = await query(server.url, "SELECT datname FROM pg_database WHERE datname ~ '^test_|broken'");
    expect(left).toEqual([]);
    await expect(createTestDatabase(server.url, 'template_broken')).rejects.toThrow('does not exist');
  });
});

describe.skipIf(!hasPostgres || !hasRedis)('services of a process that exits', () => {
  let scratch: string;
  beforeAll(() => {
    scratch = mkdtempSync(join(tmpdir(), 'memrelay-services-test-'));
    // The account that runs Postgres when this is root must be able to reach its folder.
    chmodSync(scratch, 0o711);
  });
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  /** Starts both services in a separate process, whose temporary folder is `scratch`. */
  async function startOwner(atTheEnd: string) {
    const script = join(scratch, 'owner.ts');
    const here = JSON.stringify(import.meta.dirname);
    writeFileSync(
      script,
      `const { startPostgres } = await import(${here} + '/postgres.ts');
       const { startRedis } = await import(${here} + '/redis.ts');
       const services = await Promise.all([startPostgres(), startRedis()]);
       process.stdout.write(JSON.stringify(services.map(({ url }) => url)));
       ${atTheEnd}`,
    );
    const owner = spawn(process.execPath, [script], {
      env: { ...process.env, TMPDIR: scratch },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    owner.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    await until(() => printed.endsWith(']') || owner.exitCode !== null);
    return { owner, urls: JSON.parse(printed) as string[] };
  }

  const leftovers = () => readdirSync(scratch).filter((name) => name !== 'owner.ts');
  const forever = 'setInterval(() => undefined, 1_000);';

  it.each(['SIGKILL', 'SIGINT'] as const)(
    'stop with it and leave no files when it gets %s',
    async (signal) => {
      const { owner, urls } = await startOwner(forever);
      expect(leftovers()).toHaveLength(2);
      owner.kill(signal);
      await until(() => leftovers().length === 0);
      await expect(query(urls[0]!, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
    },
  );

  it('do not keep the process running when it does not stop them', async () => {
    const { owner } = await startOwner('');
    await until(() => owner.exitCode === 0);
    await until(() => leftovers().length === 0);
  });
});

describe.skipIf(!hasRedis)('Redis for tests', () => {
  it('never evicts, and can be stopped twice', async () => {
    const redis = await startRedis();
    expect(await command(redis.url, 'CONFIG GET maxmemory-policy')).toContain('noeviction');
    await redis.stop();
    await redis.stop();
    await expect(command(redis.url, 'PING')).rejects.toThrow('ECONNREFUSED');
  });
});

/** Sends one inline command and returns the response as text. */
async function command(url: string, line: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(`${line}\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return answer.toString('utf8');
}
