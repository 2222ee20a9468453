import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openBrowser } from '../../src/stdio/open-browser.ts';

const url = 'https://web.example/connect/mcp#a=1&b=$(touch hacked);c';
let folder: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-browser-'));
  const opener = join(folder, 'xdg-open');
  await writeFile(
    opener,
    `#!/bin/sh\nprintf '%s' "$1" > "${folder}/part"\nmv "${folder}/part" "${folder}/opened"\n`,
  );
  await chmod(opener, 0o755);
  env = { PATH: `${folder}:${process.env.PATH}`, DISPLAY: ':1' };
});
afterAll(() => rm(folder, { recursive: true }));

it('opens the whole link, without a shell in between', async () => {
  expect(await openBrowser(url, env, 'linux')).toBe(true);
  await vi.waitFor(async () => expect(await readFile(join(folder, 'opened'), 'utf8')).toBe(url), 10_000);
});

it('opens nothing over SSH, without a screen, without a browser, and what is no page', async () => {
  for (const [address, environment] of [
    [url, { ...env, SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' }],
    [url, { ...env, DISPLAY: '' }],
    [url, { ...env, PATH: join(folder, 'nowhere') }],
    ['file:///etc/passwd', env],
  ] as const)
    expect(await openBrowser(address, environment, 'linux')).toBe(false);
});
