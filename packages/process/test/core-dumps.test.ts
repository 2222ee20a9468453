import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withoutCoreDumps } from '../src/core-dumps.ts';

const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;
const library = new URL('../src/core-dumps.ts', import.meta.url).href;
const node = [
  process.execPath,
  '--disable-warning=ExperimentalWarning',
  '--input-type=module',
  '-e',
] as const;
const printLimits = `console.log(/core file size +(\\S+ +\\S+)/.exec((await import('node:fs')).readFileSync('/proc/self/limits', 'utf8'))[1].split(/ +/).join(' '))`;

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'memrelay-core-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** Runs the command as from a shell with core dumps turned on (as far as the hard limit allows); resolves with its stdout. */
async function run(command: string, args: readonly string[], path = process.env.PATH): Promise<string> {
  const child = spawn('/bin/sh', ['-c', 'ulimit -c unlimited; exec "$0" "$@"', command, ...args], {
    cwd: directory,
    env: { PATH: path },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  await once(child, 'close');
  return text.trim();
}

describe.runIf(process.platform === 'linux')('core dumps', () => {
  const off = hasPrlimit ? '1 1' : '0 0';

  test('are off in a process started without them, which keeps its process id', async () => {
    const started = withoutCoreDumps(node[0], [...node.slice(1), printLimits]);
    expect(await run(...started)).toBe(off);
    const pids = await run('/bin/sh', [
      '-c',
      `echo $$; exec "$0" "$@"`,
      ...withoutCoreDumps('/bin/sh', ['-c', 'echo $$']).flat(),
    ]);
    const [before, after] = pids.split('\n');
    expect(after).toBe(before);
  });

  test('are off even without prlimit', async () => {
    const started = withoutCoreDumps(node[0], [...node.slice(1), printLimits]);
    expect(await run(...started, directory)).toBe('0 0');
  });

  test('leave no file when a process is aborted', async () => {
    await run(...withoutCoreDumps(node[0], [...node.slice(1), 'process.abort()']));
    expect(await readdir(directory)).toEqual([]);
  });

  test('arguments and their spaces arrive as they are', async () => {
    const args = ['a b', '', '$HOME', '"quoted"', "it's", '*'];
    const started = withoutCoreDumps(node[0], ['-p', 'JSON.stringify(process.argv.slice(1))', '--', ...args]);
    expect(JSON.parse(await run(...started))).toEqual(args);
  });

  /** A program that turns core dumps off for itself, and prints the warning and then the limits. */
  const forItself = `import { turnOffCoreDumps } from '${library}'; console.log(turnOffCoreDumps() ?? 'no warning'); ${printLimits}`;

  test.runIf(hasPrlimit)('can be turned off by a process for itself', async () => {
    const text = await run(node[0], [...node.slice(1), forItself]);
    expect(text.split('\n')).toEqual(['no warning', '1 1']);
  });

  test('that cannot be turned off are reported, with a solution', async () => {
    const text = await run(node[0], [...node.slice(1), forItself], directory);
    const [warning, limits] = text.split('\n');
    // With a hard limit of 0, dumps are off already and there is no warning
    if (limits === '0 0') expect(warning).toBe('no warning');
    else expect(warning).toContain('ulimit -c 0');
  });
});
