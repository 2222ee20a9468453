import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { beginJournal, journalPath, openJournal } from '../src/import/import-journal.ts';

let directory: string;
let path: string;
const target = { content: 'a\nb', serverUrl: 'http://localhost:1', accountId: '0x1', namespace: 'n' };

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'memrelay-journal-'));
  path = journalPath(join(directory, 'imports'), target);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

it('resumes with the same keys and the acknowledged jobs', async () => {
  const first = await openJournal(path);
  await Promise.all([first.acknowledge(1, ['c', 'd']), first.acknowledge(0, ['a', 'b'])]);
  await first.close();
  const second = await openJournal(path);
  expect(second.run).toBe(first.run);
  expect([...second.acknowledged].sort()).toEqual([
    [0, ['a', 'b']],
    [1, ['c', 'd']],
  ]);
  expect(second.ended).toBeUndefined();
  await second.close();
});

it('ignores a line truncated by a crash, and appends the next one correctly', async () => {
  const first = await openJournal(path);
  await first.acknowledge(0, ['a']);
  await first.close();
  await appendFile(path, '{"chunk":1,"job_i');
  const second = await openJournal(path);
  expect(second.acknowledged.has(1)).toBe(false);
  await second.acknowledge(2, ['c']);
  await second.close();
  const third = await openJournal(path);
  expect([...third.acknowledged.keys()]).toEqual([0, 2]);
  await third.close();
});

it('starts over if the file is damaged, and retries only failed memories', async () => {
  const first = await openJournal(path);
  await first.end([3, 5]);
  await first.close();
  const ended = await openJournal(path);
  expect(ended.ended?.failed).toEqual([3, 5]);
  await ended.close();
  const retry = await beginJournal(path, [3, 5]);
  await retry.close();
  const reopened = await openJournal(path);
  expect(reopened.only).toEqual([3, 5]);
  expect(reopened.run).not.toBe(first.run);
  await reopened.close();
  await writeFile(path, 'nonsense');
  const restarted = await openJournal(path);
  expect(restarted.run).not.toBe(first.run);
  await restarted.close();
});

it('is readable only by its owner', async () => {
  await (await openJournal(path)).close();
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(join(directory, 'imports'))).mode & 0o777).toBe(0o700);
  expect(await readFile(path, 'utf8')).not.toContain(target.serverUrl);
});

it('is separate for another file, relayer, account or namespace', () => {
  const paths = [
    target,
    { ...target, content: 'a\nb\n' },
    { ...target, serverUrl: 'http://localhost:2' },
    { ...target, accountId: '0x2' },
    { ...target, namespace: 'm' },
    // The same text with other boundaries
    { ...target, accountId: '0x1n', namespace: '' },
  ].map((other) => journalPath(directory, other));
  expect(new Set(paths).size).toBe(paths.length);
});
