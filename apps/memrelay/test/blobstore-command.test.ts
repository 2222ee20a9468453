import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startCommand } from './running-command.ts';

let home: string;
let environment: Record<string, string>;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'memrelay-blobstore-'));
  environment = { HOME: home, MEM_DATA_DIR: join(home, 'data') };
});
afterEach(() => rm(home, { recursive: true, force: true }));

it('starts a store that keeps its blobs across restarts', async () => {
  const flags = ['--port', '0', '--shards', '31'];
  const start = async () => {
    const command = startCommand(['blobstore', '--json', ...flags], environment);
    const { url } = JSON.parse(await command.printed(/"event":"ready".*\n/)) as { url: string };
    return { command, url };
  };
  const first = await start();
  const stored = await fetch(`${first.url}/v1/blobs`, { method: 'PUT', body: 'kept' });
  const { blobId } = ((await stored.json()) as { newlyCreated: { blobObject: { blobId: string } } })
    .newlyCreated.blobObject;
  first.command.child.kill('SIGTERM');
  expect(await first.command.ended).toMatchObject({ code: 0 });
  const second = await start();
  expect(await (await fetch(`${second.url}/v1/blobs/${blobId}`)).text()).toBe('kept');
  second.command.child.kill('SIGINT');
  expect(await second.command.ended).toMatchObject({ code: 0 });
});

it.skipIf(process.platform === 'win32')(
  'ends when npx ends, although its shell does not forward the signal',
  async () => {
    const entry = fileURLToPath(new URL('../bin/memrelay.mjs', import.meta.url));
    const command = [process.execPath, entry, 'blobstore', '--json', '--port', '0', '--shards', '31'];
    const shell = spawn('sh', ['-c', '"$@"; exit $?', 'sh', ...command], {
      env: { PATH: process.env.PATH, ...environment, npm_lifecycle_event: 'npx' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    shell.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      if (printed.includes('"ready"')) shell.kill('SIGTERM');
    });
    // Its output closes when the last process that has it has ended
    await once(shell, 'close');
    expect(printed).toContain('{"event":"stopped"}');
  },
);

it('reports a wrong flag, and lists the flags', async () => {
  const wrong = await startCommand(['blobstore', '--shards', 'many'], environment).ended;
  expect(wrong).toMatchObject({ code: 2 });
  expect(wrong.stderr).toContain('--shards must be a whole number');
  const help = await startCommand(['blobstore', '--help'], environment).ended;
  expect(help).toMatchObject({ code: 0 });
  expect(help.stdout).toContain('--epoch-duration DURATION');
});
