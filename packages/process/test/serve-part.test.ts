import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { PartStartError, startPart } from '../src/start-part.ts';

const entry = fileURLToPath(new URL('./support/single-part.ts', import.meta.url));
const { PATH } = process.env;
const start = (environment: NodeJS.ProcessEnv = {}) =>
  startPart({
    name: 'part',
    entry,
    environment: { PATH, ...environment },
    onLine: () => undefined,
    onStderr: () => undefined,
  });

it.skipIf(process.platform === 'win32')(
  'leaves Ctrl-C and a closed terminal to its supervisor, and ends when that stops it',
  async () => {
    const part = await start();
    process.kill(part.pid, 'SIGINT');
    process.kill(part.pid, 'SIGHUP');
    // The signals arrive before these requests
    for (let i = 0; i < 2; i++) expect(await (await fetch(part.url)).text()).toBe('here');
    await part.stop();
    expect(await part.ended).toBe('exit code 0');
  },
);

it.skipIf(process.platform === 'win32')('ends on Ctrl-C without a supervisor', async () => {
  const child = spawn(process.execPath, [entry], { stdio: ['ignore', 'pipe', 'inherit'], env: { PATH } });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  child.kill('SIGINT');
  expect((await ended)[0]).toBe(0);
});

it('reports why it does not start, without a stack', async () => {
  const failure = await start({ PROBLEM: 'PORT is taken' }).catch((error) => error);
  expect(failure).toBeInstanceOf(PartStartError);
  expect(failure).toMatchObject({ exitCode: 1, stderr: 'PORT is taken\n' });
});
