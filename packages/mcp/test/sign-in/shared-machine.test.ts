import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fullScope } from '@memrelay/chain/account-bcs';
import { parsePrivateKey } from '@memrelay/chain/key-file';
import { launchChromium } from '@memrelay/dev-env/launch-chromium';
import { type PrivateSystem, startPrivateSystem } from '@memrelay/dev-env/private-system';
import { createTestBackend, type TestBackend } from '@memrelay/dev-env/test-backend';
import { newTestKey } from '@memrelay/dev-env/test-owner';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { fromHex } from '@memrelay/protocol/bytes';
import { AccountOwner } from '@memrelay/sdk/account/account-owner';
import { sealHandOver } from '@memrelay/sdk/account/sign-in/hand-over';
import { parseSignInFragment } from '@memrelay/sdk/account/sign-in/sign-in-request';
import { newPairingCode, readLocalDashboard } from '@memrelay/sdk/local-dashboard-node';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { useMachine } from '../stdio/machine.ts';

/** Tests a sign-in while another user of the machine is watching, with `memrelay up`, the real command and a real browser. */

const machine = useMachine();
let backend: TestBackend;
let system: PrivateSystem;
let browser: Browser;
let page: Page;
/** Folder of the fake browser opener that replaces xdg-open */
let folder: string;

beforeAll(async () => {
  backend = await createTestBackend();
  const { databaseUrl, redisUrl } = backend;
  system = await startPrivateSystem({ databaseUrl, ...(redisUrl ? { redisUrl } : {}) });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await system?.dispose();
  await backend?.drop();
});
beforeEach(async () => {
  page = await (await browser.newContext()).newPage();
  folder = await mkdtemp(join(tmpdir(), 'mcp-opener-'));
  const opener = join(folder, 'xdg-open');
  // It stays until it is stopped, so that its arguments can be read
  await writeFile(opener, `#!/bin/sh\nwhile [ -d "${folder}" ]; do sleep 0.1; done\n`);
  await chmod(opener, 0o755);
});
afterEach(async () => {
  await page.context().close();
  await rm(folder, { recursive: true, force: true });
});

/** `memrelay-mcp login` on a desktop, with its output. */
function startLogin(): { child: ChildProcess; printed: () => string; ended: Promise<number | null> } {
  const stdio = machine.start({
    args: ['login'],
    env: {
      PATH: `${folder}:${process.env.PATH}`,
      DISPLAY: ':1',
      SSH_CONNECTION: '',
      MEM_DATA_DIR: system.dataDir,
    },
  });
  let text = '';
  stdio.child.stdout!.on('data', (part) => (text += part));
  const ended = once(stdio.child, 'close').then(([code]) => code as number | null);
  return { child: stdio.child, printed: () => text, ended };
}

/** With root the test reads as another user; without root it can only check the file's mode. */
const stranger = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;

/** The arguments of every running opener, as any user of the machine reads them. */
async function watchArguments(): Promise<string> {
  // The folder is in its environment and not in its arguments: it must not find itself
  const script = `while :; do for f in /proc/[0-9]*/cmdline; do
    args=$(tr '\\0' ' ' < "$f" 2>/dev/null)
    case "$args" in *"$OPENER"*) echo "$args"; exit;; esac
  done; done 2>/dev/null`;
  return runAs('/bin/sh', ['-c', script], { OPENER: join(folder, 'xdg-open') });
}

async function runAs(command: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const child = spawn(command, args, { ...stranger, env: { PATH: process.env.PATH, ...env }, cwd: '/' });
  onTestFinished(() => void child.kill());
  let output = '';
  child.stdout.on('data', (part) => (output += part));
  child.stderr.on('data', (part) => (output += part));
  await once(child, 'close');
  return output;
}

const codeIn = (text: string): string => /\b([0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4})\b/.exec(text)![1]!;
const linkIn = (text: string): string => /http:\/\/\S+\/connect\/mcp#\S+/.exec(text)![0];
const connect = () => page.getByRole('button', { name: 'Connect' });

it("hides the link from other users' view of the arguments, protects its file, and does not let them end the sign-in", async () => {
  // Only the file's own mode protects it here
  await chmod(machine.home, 0o755);
  const login = startLogin();
  const seen = await watchArguments();
  expect(seen).toContain('file://');
  const path = fileURLToPath(/file:\/\/\S+/.exec(seen)![0]);
  await vi.waitFor(() => expect(login.printed()).toContain('works once'), 10_000);
  const link = linkIn(login.printed());
  const { port, state } = parseSignInFragment(new URL(link).hash);
  for (const part of new URLSearchParams(new URL(link).hash.slice(1)).values())
    if (part.length > 5) expect(seen).not.toContain(part);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  if (stranger) {
    expect(await runAs('cat', [path])).toMatch(/Permission denied/);
    expect(await runAs('ls', [join(machine.home, '.mem')])).toMatch(/Permission denied/);
  }

  // The port is in /proc/net/tcp, so posts without the link reach the tool
  const wallet = newTestKey();
  const forged = sealHandOver(
    nodePrimitives,
    { ...parseSignInFragment(new URL(link).hash), state: new Uint8Array(state.length) },
    { privateKey: fromHex(wallet.privateKey), ...ids(wallet.address), scope: { ...fullScope } },
  );
  for (let i = 0; i < 20; i++)
    for (const [door, headers, code] of [
      ['code', {}, forged],
      ['code', {}, 'x'],
      ['callback', { origin: 'https://evil.example' }, forged],
    ] as const)
      expect((await post(port, door, headers, code)).status).toBeGreaterThanOrEqual(400);

  await page.goto(`file://${path}`);
  await page.getByText('Compare this code').waitFor();
  expect(page.url()).toBe(`${system.urls.dashboard}/connect/mcp`);
  expect(codeIn(await page.locator('main').innerText())).toBe(codeIn(login.printed()));
  expect(await connect().isDisabled()).toBe(true);
  await page.getByLabel('My tool shows the same code').check();
  await connect().click();
  expect(await login.ended).toBe(0);
  expect(login.printed()).toContain(`wallet   ${system.credentials.walletAddress}`);
  await expect(stat(path)).rejects.toThrow('ENOENT');
});

it('names the expected wallet, so that someone with the link cannot sign in to their own', async () => {
  const login = startLogin();
  await vi.waitFor(() => expect(login.printed()).toContain('works once'), 10_000);
  const request = parseSignInFragment(new URL(linkIn(login.printed())).hash);

  // A real account with a real delegate on the same chain: anyone can make one
  const wallet = newTestKey();
  const key = newTestKey();
  const attacker = await AccountOwner.connect({
    serverUrl: system.urls.relayer,
    signer: parsePrivateKey(wallet.privateKey),
  });
  const { accountId } = await attacker.createAccount({
    publicKey: key.publicKey,
    address: key.address,
    label: 'memrelay MCP',
  });
  const code = sealHandOver(nodePrimitives, request, {
    privateKey: fromHex(key.privateKey),
    accountId,
    walletAddress: wallet.address,
    packageId: system.credentials.packageId,
    scope: { ...fullScope },
  });
  const { walletAddress } = system.credentials;
  for (const [door, headers] of [
    ['code', {}],
    ['callback', { origin: system.urls.dashboard }],
  ] as const) {
    const refused = await post(request.port, door, headers, code);
    expect([refused.status, await refused.json()]).toEqual([
      422,
      { error: 'other_wallet', message: expect.stringContaining(walletAddress) },
    ]);
  }
  await vi.waitFor(() => expect(login.printed()).toContain(`Sign-in attempt rejected: The tool expected`));
  await expect(stat(machine.credentialsPath)).rejects.toThrow('ENOENT');

  await page.goto(linkIn(login.printed()));
  await page.getByLabel('My tool shows the same code').check();
  await connect().click();
  expect(await login.ended).toBe(0);
  expect(login.printed()).toContain(`wallet   ${walletAddress}`);
});

it('reports an expired pairing link, and how to get another one', async () => {
  const { url, token } = (await readLocalDashboard(system.dataDir))!;
  await page.goto(`${url}/#pairing=${newPairingCode(token, new Date(Date.now() - 1_000))}`);
  await page.getByRole('alert').filter({ hasText: 'This link has expired' }).waitFor();
  await page.getByText('npx memrelay pair').first().waitFor();
});

const ids = (walletAddress: string) => ({
  walletAddress,
  accountId: `0x${'a'.repeat(64)}`,
  packageId: `0x${'c'.repeat(64)}`,
});

function post(port: number, door: string, headers: Record<string, string>, code: string): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/${door}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ code }),
  });
}
