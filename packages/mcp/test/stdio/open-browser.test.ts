import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openBrowser } from '../../src/stdio/open-browser.ts';

const url = 'https://web.example/connect/mcp#a=1&b=$(touch hacked);c';
let folder: string;
let env: NodeJS.ProcessEnv;
const realHome = process.env.HOME;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-browser-'));
  const opener = join(folder, 'xdg-open');
  await writeFile(
    opener,
    `#!/bin/sh\nprintf '%s' "$1" > "${folder}/part"\nmv "${folder}/part" "${folder}/opened"\n`,
  );
  await chmod(opener, 0o755);
  env = { PATH: `${folder}:${process.env.PATH}`, DISPLAY: ':1' };
  process.env.HOME = folder;
});
afterAll(async () => {
  process.env.HOME = realHome;
  await rm(folder, { recursive: true });
});

/** The opener's argument, which must not be the link. */
async function openedFile(): Promise<string> {
  const opened = join(folder, 'opened');
  const given = await vi.waitFor(() => readFile(opened, 'utf8'), 10_000);
  await rm(opened);
  expect(given).toMatch(/^file:\/\/.*\.html$/);
  return fileURLToPath(given);
}

it('opens a private file that redirects to the complete link, and removes it', async () => {
  const remove = await openBrowser(url, env, 'linux');
  const file = await openedFile();
  expect(dirname(file)).toBe(join(folder, '.mem'));
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(dirname(file))).mode & 0o777).toBe(0o700);
  expect(await readFile(file, 'utf8')).toContain('connect/mcp#a=1&#38;b=$(touch hacked);c');
  remove!();
  expect(await readdir(dirname(file))).toEqual([]);
});

it("puts the file where a snap's browser can read it, and removes files of killed processes", async () => {
  await mkdir(join(folder, 'snap'));
  const remove = await openBrowser(url, env, 'linux');
  const file = await openedFile();
  expect(dirname(file)).toBe(join(folder, 'memrelay-sign-in'));
  expect((await stat(dirname(file))).mode & 0o777).toBe(0o700);
  await utimes(file, 0, 0);
  const removeSecond = await openBrowser(url, env, 'linux');
  const second = await openedFile();
  expect(await readdir(dirname(file))).toEqual([second.slice(dirname(file).length + 1)]);
  remove!();
  removeSecond!();
  await expect(stat(dirname(file))).rejects.toThrow('ENOENT');
});

it('opens nothing over SSH, without a screen or a browser, or for other URLs', async () => {
  for (const [address, environment] of [
    [url, { ...env, SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' }],
    [url, { ...env, DISPLAY: '' }],
    [url, { ...env, PATH: join(folder, 'nowhere') }],
    ['file:///etc/passwd', env],
  ] as const)
    expect(await openBrowser(address, environment, 'linux')).toBeUndefined();
});
