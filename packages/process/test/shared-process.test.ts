import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { freePort } from '../src/free-ports.ts';
import { PartStartError } from '../src/start-part.ts';
import { type SharedProcess, startSharedProcess } from '../src/start-shared.ts';

const support = (name: string): string => fileURLToPath(new URL(`./support/${name}`, import.meta.url));
const patience = { timeout: 60_000, interval: 50 };

let output: Record<string, string> = {};
const started: SharedProcess[] = [];

function start(): SharedProcess {
  output = { first: '', second: '', process: '' };
  const shared = startSharedProcess({
    entry: support('hosted-parts.ts'),
    parts: ['first', 'second'],
    environment: { PATH: process.env.PATH, SECRET: 'of the process' },
    onLog: (part, text) => {
      output[part] += text;
    },
    onOutput: (text) => {
      output.process += text;
    },
  });
  started.push(shared);
  return shared;
}
afterEach(async () => {
  for (const shared of started.splice(0)) await shared.stop();
});

const replyOf = async (url: string): Promise<string> => (await fetch(url)).text();

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('a process that parts share', () => {
  it('gives each part its own URL, variables and log', async () => {
    const shared = start();
    const port = await freePort();
    const first = await shared.start('first', { GREETING: 'one', PORT: String(port) });
    const second = await shared.start('second', { GREETING: 'two' });
    expect(first).toBe(`http://127.0.0.1:${port}`);
    expect([await replyOf(first), await replyOf(second)]).toEqual(['one', 'two']);
    await expect
      .poll(() => output, patience)
      .toMatchObject({
        first: 'started one\n',
        second: 'started two\n',
        process: '',
      });
  });

  it('reports why a part does not start, while the other part continues', async () => {
    const shared = start();
    const first = await shared.start('first', { GREETING: 'one' });
    const failure = await shared.start('second', { PROBLEM: 'PORT is taken' }).catch((error) => error);
    expect(failure).toBeInstanceOf(PartStartError);
    expect(failure.message).toContain('second did not start');
    expect(failure.stderr).toBe('PORT is taken');
    await expect.poll(() => output.second, patience).toBe('PORT is taken\n');
    expect(await replyOf(first)).toBe('one');
    expect(await replyOf(await shared.start('second', { GREETING: 'two' }))).toBe('two');
  });

  it('closes one part without the other, and at the end the last started first', async () => {
    const shared = start();
    const first = await shared.start('first', { GREETING: 'one' });
    const second = await shared.start('second', { GREETING: 'two' });
    await shared.close('second');
    await expect(replyOf(second)).rejects.toThrow();
    expect(await replyOf(first)).toBe('one');
    await shared.start('second', { GREETING: 'three' });
    await shared.stop();
    expect(await shared.ended).toBe('exit code 0');
    const closedAt = (text = ''): bigint => BigInt(/ at (\d+)\n$/.exec(text)![1]!);
    await expect.poll(() => output.first, patience).toContain('closed one');
    expect(closedAt(output.second)).toBeLessThan(closedAt(output.first));
  });

  it('ends with all parts at a defect, and prints it', async () => {
    const shared = start();
    const first = await shared.start('first', {});
    await shared.start('second', {});
    await fetch(`${first}/fail`).catch(() => undefined);
    expect(await shared.ended).toBe('exit code 1');
    await expect.poll(() => output.process, patience).toContain('Error: a defect');
    await expect(shared.start('second', {})).rejects.toThrow('second did not start (exit code 1)');
  });

  it.skipIf(process.platform === 'win32')(
    'leaves Ctrl-C and a closed terminal to its supervisor, and ends on SIGTERM',
    async () => {
      const shared = start();
      const first = await shared.start('first', { GREETING: 'one' });
      process.kill(shared.pid, 'SIGINT');
      process.kill(shared.pid, 'SIGHUP');
      expect(await replyOf(first)).toBe('one');
      expect(await replyOf(first)).toBe('one');
      process.kill(shared.pid, 'SIGTERM');
      expect(await shared.ended).toBe('exit code 0');
    },
  );

  it('ends when its supervisor is killed', async () => {
    const supervisor = spawn(process.execPath, [support('supervisor.ts')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [printed] = await once(supervisor.stdout, 'data');
    const pid = Number(String(printed));
    expect(isAlive(pid)).toBe(true);
    supervisor.kill('SIGKILL');
    await expect.poll(() => isAlive(pid), patience).toBe(false);
  });
});
