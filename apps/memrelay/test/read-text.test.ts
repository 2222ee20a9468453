import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fileBytes, isBundleFile } from '../src/bundle/bundle-file.ts';
import { readPassphrase } from '../src/bundle/passphrase.ts';
import { ExitError } from '../src/terminal/exit-codes.ts';
import { explain, fileTrouble } from '../src/terminal/explain-error.ts';
import { createOutput } from '../src/terminal/output.ts';
import { readText } from '../src/terminal/read-text.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'memrelay-files-'));
  await mkdir(join(folder, 'folder'));
  await symlink('loop', join(folder, 'loop'));
  await writeFile(join(folder, 'text'), '\ufeffeins\nzwei ü');
  await writeFile(join(folder, 'empty'), '');
  await writeFile(join(folder, 'binary'), Buffer.from([0x4d, 0xff, 0xfe]));
  await writeFile(join(folder, 'zeros'), 'text\0text');
});
afterAll(() => rm(folder, { recursive: true }));

/** What the command would print for it. */
const said = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'nothing',
    (error: unknown) => explain(error)?.message,
  );

it('reads text unchanged, including an empty file', async () => {
  expect(await readText(join(folder, 'text'))).toBe('\ufeffeins\nzwei ü');
  expect(await readText(join(folder, 'empty'))).toBe('');
});

it.each([
  ['folder', 'it is a directory'],
  ['absent', 'there is no such file or directory'],
  ['loop', 'it is a link that leads to itself'],
  ['empty/below', 'a part of the path is not a directory'],
  ['binary', 'it is not UTF-8 text'],
  ['zeros', 'it is not UTF-8 text'],
])('reports %s in one sentence with the path', async (name, reason) => {
  const path = join(folder, name);
  expect(await said(readText(path))).toBe(`${path}: ${reason}.`);
  if (!reason.includes('UTF-8'))
    expect(await said(isBundleFile(path).then(() => readText(path)))).toContain(path);
});

it('never reads a device or a pipe to its end', async () => {
  expect(await isBundleFile('/dev/zero')).toBe(false);
  expect(await said(readText('/dev/zero'))).toBe(
    '/dev/zero: it is not a regular file; write its content to a file first.',
  );
});

// A file of Linux that can be opened and not be read
it.skipIf(process.platform !== 'linux')('every reader names a file that fails while it is read', async () => {
  const path = '/proc/self/mem';
  const bytes = async (): Promise<void> => {
    for await (const _ of fileBytes(path));
  };
  const output = createOutput({ json: true });
  const passphrase = () => readPassphrase(output, { passphraseFile: path }, { twice: false });
  for (const read of [() => isBundleFile(path), () => readText(path), bytes, passphrase])
    expect(await said(read())).toBe(`${path}: the device reported an error.`);
});

it('names the file and the code of an unknown error, unless it may be a connection error', () => {
  const invalid = Object.assign(new Error('EINVAL: invalid argument, read'), {
    code: 'EINVAL',
    syscall: 'read',
  });
  expect(fileTrouble(invalid, '/a/file')?.message).toBe('/a/file: the system cannot read it (EINVAL).');
  expect(explain(invalid)).toBeUndefined();
});

it('names a passphrase file that is a directory, and reports a full disk without a path', async () => {
  const path = join(folder, 'folder');
  const output = createOutput({ json: true });
  expect(await said(readPassphrase(output, { passphraseFile: path }, { twice: false }))).toBe(
    `${path}: it is a directory.`,
  );
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  expect(explain(full)).toBeInstanceOf(ExitError);
  expect(explain(full)!.message).toBe('A file cannot be used: the disk is full.');
});
