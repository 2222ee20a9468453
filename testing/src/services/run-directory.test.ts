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

test('what is asked for at the same time is made once, and each has a copy of its own', async () => {
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

test('what could not be made is not copied, and made by the next who asks', async () => {
  const failing = async (empty: string): Promise<void> => {
    await writeFile(join(empty, 'file'), 'half');
    throw new Error('no room');
  };
  await expect(copyPrepared('thing', target('a'), failing)).rejects.toThrow('no room');
  await copyPrepared('thing', target('b'), (empty) => writeFile(join(empty, 'file'), 'whole'));
  expect(await readdir(directory)).not.toContain('a');
  expect(await contentOf('b')).toBe('whole');
});

test('a run has one directory with the temporary files, gone afterwards; processes below use it and leave it', async () => {
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

test('a run removes what a killed run has left, and nothing of one that may go on', async () => {
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
