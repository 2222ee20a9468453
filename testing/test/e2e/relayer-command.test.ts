import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPart } from '@memrelay/process/start-part';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { memrelayEntry, runMemrelay } from '../../src/memrelay-command.ts';
import { RelayerWorld } from '../../src/relayer-world.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'memrelay-relayer-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('runs a relayer with the settings of a file, until SIGTERM', async () => {
  const world = await RelayerWorld.create();
  try {
    await world.client().rememberAndWait('Ada keeps bees.');
    await world.relayer.stop();
    const file = join(folder, 'relayer.env');
    const lines = Object.entries(world.relayer.environment)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}='${value}'`);
    await writeFile(file, lines.join('\n'), { mode: 0o600 });
    const part = await startPart({
      name: 'relayer',
      entry: memrelayEntry,
      args: ['relayer', '--config', file],
      environment: { PATH: process.env.PATH },
      onLine: () => undefined,
    });
    expect(part.url).toBe(world.relayer.url);
    expect(await healthcheck(part.url)).toEqual({ code: 0, stdout: '' });
    const { results } = await world.client().recall('Who keeps bees?');
    expect(results.map(({ text }) => text)).toEqual(['Ada keeps bees.']);
    await expectSoundSystem(file, world.backend.name);
    process.kill(part.pid, 'SIGTERM');
    expect(await part.ended).toBe('exit code 0');
    expect(await healthcheck(part.url)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('ECONNREFUSED'),
    });
  } finally {
    await world.close();
  }
});

it('migrates a database, once, and reports a wrong URL', async () => {
  const environment = { DATABASE_URL: `pglite:${join(folder, 'database')}` };
  const first = await runMemrelay(['relayer', 'migrate'], environment);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toMatch(/^Applied 0001_memories\.sql, .*\.sql\.\n$/);
  const second = await runMemrelay(['relayer', 'migrate'], environment);
  expect(second).toMatchObject({ code: 0, stdout: 'The tables are up to date.\n' });
  const wrong = await runMemrelay(['relayer', 'migrate'], {
    DATABASE_URL: 'postgres://user:hidden@127.0.0.1:1/x',
  });
  expect(wrong).toMatchObject({ code: 1, stdout: '' });
  expect(wrong.stderr).toContain('DATABASE_URL: the database cannot be reached (ECONNREFUSED)');
  expect(wrong.stderr).not.toContain('hidden');
  expect(await runMemrelay(['relayer', 'migrate'], {})).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('DATABASE_URL is required'),
  });
});

it('reports every problem with its settings, and a file that cannot be read', async () => {
  const unset = await runMemrelay(['relayer'], { HOME: folder });
  expect(unset.code).toBe(1);
  for (const name of ['DATABASE_URL', 'MEM_PACKAGE_ID', 'SIDECAR_AUTH_TOKEN'])
    expect(unset.stderr).toContain(`${name} is required`);
  const missing = await runMemrelay(['relayer', '--config', join(folder, 'no.env')], {});
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be read (ENOENT)') });
});

/** `doctor`, while the relayer runs. An embedded database has one user at a time: the relayer. */
async function expectSoundSystem(file: string, database: 'postgres' | 'embedded'): Promise<void> {
  const { code, stdout } = await runMemrelay(['relayer', 'doctor', '--config', file, '--json'], {});
  const lines = stdout.split('\n').filter(Boolean);
  const findings = lines.map((line) => JSON.parse(line) as Record<string, string>);
  const failed = findings.filter(({ state }) => state === 'failed').map(({ check }) => check);
  expect(failed).toEqual(database === 'embedded' ? ['database'] : []);
  expect(code).toBe(database === 'embedded' ? 3 : 0);
  for (const check of ['secret_files', 'disk', 'chain', 'aggregator', 'sidecar', 'key_servers', 'publisher'])
    expect(findings.filter((finding) => finding.check === check && finding.state === 'ok')).not.toEqual([]);
  const wrong = await runMemrelay(['relayer', 'doctor', '--config', file], {
    PORT: 'many',
    MEM_INDEX_KEY: 'a secret that is not hex',
  });
  expect(wrong.code).toBe(2);
  expect(wrong.stdout).toContain('✗ settings: PORT: must be a whole number');
  expect(wrong.stdout + wrong.stderr).not.toContain('a secret that is not hex');
}

/** As the container image runs it. */
function healthcheck(url: string): Promise<{ code: number; stdout: string }> {
  const script = fileURLToPath(new URL('../../../deploy/container/healthcheck.mjs', import.meta.url));
  const env = { PATH: process.env.PATH, PORT: new URL(url).port };
  return new Promise((resolve) => {
    execFile(process.execPath, [script], { env }, (error, stdout) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout }),
    );
  });
}
