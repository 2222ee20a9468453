import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LocalDashboard, localDashboardPath } from '@memrelay/sdk/local-dashboard-node';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { presets } from '../../src/presets.ts';
import { pageHint } from '../../src/stdio/page-hint.ts';
import { chooseService } from '../../src/stdio/relayer-choice.ts';
import { readSettings } from '../../src/stdio/settings.ts';
import { useMachine } from './machine.ts';

const machine = useMachine();
const realDataDir = process.env.MEM_DATA_DIR;
beforeEach(() => {
  process.env.MEM_DATA_DIR = join(machine.home, 'data');
});
afterEach(() => {
  if (realDataDir === undefined) delete process.env.MEM_DATA_DIR;
  else process.env.MEM_DATA_DIR = realDataDir;
});

const choose = (...args: string[]) => chooseService(readSettings(args, {}));

/** Writes the dashboard file like a running `memrelay up`. */
async function runHere(running: Omit<LocalDashboard, 'token'>): Promise<void> {
  const dataDir = process.env.MEM_DATA_DIR!;
  await mkdir(dataDir);
  await writeFile(localDashboardPath(dataDir), JSON.stringify({ ...running, token: 'ab'.repeat(32) }));
}

it('signs in at the default service of this build without settings', async () => {
  expect(await choose()).toEqual(presets.local);
});

it('signs in at the local system without settings, on any ports', async () => {
  const running = { relayerUrl: 'http://127.0.0.1:18000', url: 'http://127.0.0.1:15173' };
  await runHere(running);
  expect(await choose()).toEqual({ relayerUrl: running.relayerUrl, webUrl: running.url });
  // A preset by name uses the preset's URLs
  expect(await choose('--local')).toEqual(presets.local);
  const web = 'http://127.0.0.1:25173';
  expect(await choose(`--web-url=${web}`)).toEqual({ relayerUrl: running.relayerUrl, webUrl: web });
});

it('finds a dashboard on another port while its relayer has the default one', async () => {
  await runHere({ url: 'http://127.0.0.1:15173' });
  const { relayerUrl } = presets.local!;
  expect(await choose()).toEqual({ relayerUrl, webUrl: 'http://127.0.0.1:15173' });
});

it('completes a known service from one of its two URLs', async () => {
  const local = presets.local!;
  expect(await choose(`--relayer=${local.relayerUrl}`)).toEqual(local);
  expect(await choose(`--web-url=${local.webUrl}`)).toEqual(local);
});

it('uses the running dashboard for a relayer on this machine, on any port', async () => {
  const relayerUrl = 'http://127.0.0.1:18000';
  expect(await choose(`--relayer=${relayerUrl}`)).toEqual({ relayerUrl, webUrl: presets.local!.webUrl });
  const running = { url: 'http://127.0.0.1:15173' };
  await runHere(running);
  expect(await choose(`--relayer=${relayerUrl}`)).toEqual({ relayerUrl, webUrl: running.url });
});

it('asks for the dashboard of an unknown relayer, instead of guessing', async () => {
  await expect(choose('--relayer=https://relayer.example')).rejects.toMatchObject({
    code: 'no_dashboard',
    message: expect.stringContaining('--web-url'),
  });
  expect(await choose('--relayer=https://relayer.example', '--web-url=https://web.example')).toEqual({
    relayerUrl: 'https://relayer.example',
    webUrl: 'https://web.example',
  });
});

it('explains how to reach a link to a page on this machine', () => {
  expect(pageHint('https://web.example')).toEqual([]);
  expect(pageHint('http://127.0.0.1:15173')).toEqual([
    expect.stringMatching(/npm start.*ssh -L 15173:127\.0\.0\.1:15173 HOST$/),
  ]);
});
