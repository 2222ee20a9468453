import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openJournal, readJournal } from '../src/registry/journal.ts';
import { temporaryDirectory } from './running-store.ts';

test('reads appended records in order, even after many concurrent appends', async () => {
  const path = join(await temporaryDirectory(), 'journal');
  expect((await readJournal(path)).records).toEqual([]);
  const journal = await openJournal<number>(path, [0]);
  const numbers = Array.from({ length: 200 }, (_, index) => index + 1);
  await Promise.all(numbers.map((number) => journal.append(number)));
  await journal.close();
  expect((await readJournal(path)).records).toEqual([0, ...numbers]);
});

test('fails every append after a failed one, without hanging', async () => {
  const path = join(await temporaryDirectory(), 'journal');
  const journal = await openJournal<number>(path, []);
  await journal.append(1);
  await journal.close();
  await expect(journal.append(2)).rejects.toThrow();
  await expect(journal.append(3)).rejects.toThrow();
  await expect(journal.append(4)).rejects.toThrow();
  expect((await readJournal(path)).records).toEqual([1]);
});

test('drops exactly the last line when it is truncated anywhere', async () => {
  const path = join(await temporaryDirectory(), 'journal');
  await (await openJournal(path, ['first', 'second'])).close();
  const line = (await readFile(path, 'utf8')).split('\n')[1] ?? '';
  for (let length = 1; length < line.length; length += 1) {
    await (await openJournal(path, ['first'])).close();
    await appendFile(path, line.slice(0, length));
    expect((await readJournal(path)).records).toEqual(['first']);
  }
});
