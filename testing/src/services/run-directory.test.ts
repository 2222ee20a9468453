import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { copyPrepared, provideRunDirectory } from './run-directory.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'memrelay-prepared-'));
  vi.stubEnv('MEMRELAY_TEST_RUN_DIR', join(directory, 'run'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(directory, { recursive: true });
});

const target = (name: string) => join(directory, name);
const contentOf = (name: string) => readFile(join(target(name), 'file'), 'utf8');

test('makes a directory once for concurrent callers and gives each a copy', async () => {
  let made = 0;
  const prepare = (empty: string) => writeFile(join(empty, 'file'), `made ${++made}`);
  await Promise.all(['a', 'b', 'c'].map((name) => copyPrepared('thing', target(name), prepare)));
  await writeFile(join(target('a'), 'file'), 'changed');
  await copyPrepared('thing', target('d'), prepare);
  expect(await Promise.all(['a', 'b', 'c', 'd'].map(contentOf))).toEqual([
    'changed',
    'made 1',
    'made 1',
    'made 1',
  ]);
});

test('does not copy a directory whose preparation failed, and prepares it again for the next caller', async () => {
  const failing = async (empty: string): Promise<void> => {
    await writeFile(join(empty, 'file'), 'half');
    throw new Error('no room');
  };
  await expect(copyPrepared('thing', target('a'), failing)).rejects.toThrow('no room');
  await copyPrepared('thing', target('b'), (empty) => writeFile(join(empty, 'file'), 'whole'));
  expect(await readdir(directory)).not.toContain('a');
  expect(await contentOf('b')).toBe('whole');
});

test('creates one directory per run with the temporary files, shares it with child processes and removes it at the end', async () => {
  const environment: NodeJS.ProcessEnv = {};
  const remove = provideRunDirectory(environment);
  const { MEMRELAY_TEST_RUN_DIR } = environment;
  expect(environment.NODE_COMPILE_CACHE).toContain(MEMRELAY_TEST_RUN_DIR);
  provideRunDirectory(environment)();
  expect(environment.MEMRELAY_TEST_RUN_DIR).toBe(MEMRELAY_TEST_RUN_DIR);
  expect(environment.TMPDIR).toContain(MEMRELAY_TEST_RUN_DIR);
  expect(await readdir(environment.TMPDIR!)).toEqual([]);
  remove();
  await expect(readdir(MEMRELAY_TEST_RUN_DIR!)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('removes the directory of a killed run, and none of a run that may still be active', async () => {
  const left = ['memrelay-run-1-lives', 'memrelay-run-99999999-old', 'memrelay-run-99999999-new', 'other'];
  for (const name of left) await mkdir(target(name));
  for (const name of left.slice(0, 2)) await utimes(target(name), 0, 0);
  provideRunDirectory({ TMPDIR: directory })();
  expect((await readdir(directory)).sort()).toEqual([
    'memrelay-run-1-lives',
    'memrelay-run-99999999-new',
    'other',
  ]);
});
