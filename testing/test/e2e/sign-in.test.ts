import { readFile, rm, stat } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { type Account, fullScope } from '@memrelay/chain/account-bcs';
import { readAccount } from '@memrelay/chain/account-reader';
import { createChainClient } from '@memrelay/chain/chain-client';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { freePorts } from '@memrelay/process/free-ports';
import { type RunningPart, startPart } from '@memrelay/process/start-part';
import { fromHex, toHex } from '@memrelay/protocol/bytes';
import type { CredentialFile } from '@memrelay/protocol/credential-file';
import { writeSecretFile } from '@memrelay/protocol/secret-file-node';
import { type HandOver, sealHandOver } from '@memrelay/sdk/account/sign-in/hand-over';
import { parseSignInFragment } from '@memrelay/sdk/account/sign-in/sign-in-request';
import { MemRelay } from '@memrelay/sdk/mem-relay';
import { pairingLink } from 'memrelay/commands/pair';
import { dashboardSettings } from 'memrelay/system/part-settings';
import { systemPaths } from 'memrelay/system/system-paths';
import { handOverCode } from 'memrelay-mcp/sign-in/hand-over-code';
import { type SignIn, type SignInOptions, startSignIn } from 'memrelay-mcp/sign-in/start-sign-in';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { launchChromium } from '../../src/launch-chromium.ts';
import { type PrivateSystem, startPrivateSystem } from '../../src/private-system.ts';
import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';
import { newTestKey } from '../../src/test-owner.ts';

/** Tests signing in as a person does it, with the tool's link, a real browser and the chain of `memrelay up`. */

let backend: TestBackend;
let system: PrivateSystem;
let browser: Browser;
let page: Page;
let path: string;
let signIn: SignIn | undefined;

beforeAll(async () => {
  backend = await createTestBackend();
  const { databaseUrl, redisUrl } = backend;
  system = await startPrivateSystem({ databaseUrl, ...(redisUrl ? { redisUrl } : {}) });
  browser = await launchChromium();
  path = join(system.dataDir, 'home', 'credentials.json');
});
afterAll(async () => {
  await browser?.close();
  await system?.dispose();
  await backend?.drop();
});
beforeEach(async () => {
  page = await (await browser.newContext()).newPage();
});
afterEach(async () => {
  signIn?.cancel();
  await page.context().close();
  await rm(path, { force: true });
});

async function start(options: Partial<SignInOptions> = {}): Promise<SignIn> {
  signIn = await startSignIn({
    webUrl: system.urls.dashboard,
    relayerUrl: system.urls.relayer,
    label: 'Claude Code',
    credentialsPath: path,
    dataDir: system.dataDir,
    ...options,
  });
  return signIn;
}

const connect = () => page.getByRole('button', { name: 'Connect' });
const compareCode = () => page.getByLabel('My tool shows the same code').check();
const chain = () => createChainClient({ network: 'localnet', baseUrl: system.urls.localnet });
async function account(id = system.credentials.accountId): Promise<Account> {
  return (await readAccount(chain(), system.credentials.packageId, id))!.account;
}
async function labels(): Promise<string[]> {
  return (await account()).delegate_keys.map(({ label }) => label);
}
const callbackOf = ({ url }: SignIn): string =>
  `http://127.0.0.1:${parseSignInFragment(new URL(url).hash).port}/callback`;

test('signs in with one click: registers the key with the granted scope, saves it, stores a memory, and can be revoked on the page of keys', async () => {
  const { url, done } = await start();
  await page.goto(url);
  await connect().waitFor();
  expect(await connect().isDisabled()).toBe(true);
  await page.getByText(signIn!.shortCode, { exact: true }).waitFor();
  await compareCode();
  expect(page.url()).toBe(`${system.urls.dashboard}/connect/mcp`);
  await page.getByLabel('How long').selectOption('for 30 days');
  await connect().press('Enter');
  await page.getByRole('heading', { name: 'You can close this page' }).waitFor();
  const credentials = await done;

  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(credentials);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const { walletAddress, accountId, packageId } = system.credentials;
  const relayerUrl = system.urls.relayer;
  expect(credentials).toMatchObject({
    walletAddress,
    accountId,
    packageId,
    relayerUrl,
    label: 'Claude Code',
  });
  const { delegate_keys, scopes } = await account();
  const delegate = delegate_keys.find((key) => toHex(key.public_key) === credentials.delegatePublicKey)!;
  expect(delegate).toMatchObject({
    label: 'Claude Code',
    proven: true,
    address: credentials.delegateAddress,
  });
  const scope = scopes.find(({ key }) => key === delegate.address)!.value;
  expect(scope).toMatchObject({ perms: 3, all_namespaces: true });
  expect(Number(scope.expires_at_ms) - Date.now()).toBeGreaterThan(29 * 86_400_000);

  const client = MemRelay.fromCredentials(credentials);
  await client.rememberAndWait('The tool of the sign-in test was here.');
  expect((await client.recall('who was here?', { minScore: -1 })).results[0]?.text).toContain('sign-in test');

  await page.goto(`${system.urls.dashboard}/keys`);
  const own = page.getByRole('listitem').filter({ hasText: 'memrelay up' });
  await own.getByText('Used by this system').waitFor();
  const row = page.getByRole('listitem').filter({ hasText: 'Claude Code' });
  expect(await row.getByText('Used by this system').count()).toBe(0);
  await row.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke', exact: true }).click();
  await row.waitFor({ state: 'detached' });
  expect(await labels()).toEqual(['memrelay up']);
  client.destroy();
});

test('accepts a pasted code when the browser cannot reach the tool, and grants only the chosen namespaces', async () => {
  // The name that the preset --local has for this machine
  const webUrl = system.urls.dashboard.replace('127.0.0.1', 'localhost');
  const waiting = await start({ label: 'far away', webUrl });
  await page.route(callbackOf(waiting), (route) => route.abort());
  await page.goto(waiting.url);
  await compareCode();
  await page.getByLabel('only these').check();
  await page.getByLabel('one per line').fill('work\nhome');
  await connect().click();
  // The tool may also be on this machine and have replaced its link
  await page.getByText('has created a newer link').waitFor();
  const command = await page.getByLabel('Command with the sign-in code').inputValue();
  const { walletAddress, accountId } = await handOverCode(command.split(' ').at(-1)!);
  const credentials = await waiting.done;
  expect(credentials).toMatchObject({ walletAddress, accountId, label: 'far away' });
  await page.getByRole('button', { name: 'it worked' }).click();
  await page.getByText('in 2 namespaces').waitFor();
  const client = MemRelay.fromCredentials(credentials);
  await expect(client.recall('x', { namespace: 'elsewhere' })).rejects.toMatchObject({
    code: 'insufficient_scope',
  });
  expect((await client.recall('x', { namespace: 'work' })).results).toEqual([]);
  client.destroy();
});

test('revokes the key of an unused code on the page', async () => {
  const waiting = await start({ label: 'never came' });
  await page.route(callbackOf(waiting), (route) => route.abort());
  await page.goto(waiting.url);
  await compareCode();
  await connect().click();
  await page.getByLabel('Command with the sign-in code').waitFor();
  expect(await labels()).toContain('never came');
  await page.getByRole('button', { name: 'revoke the key' }).click();
  await page.getByText('nothing is left on chain').waitFor();
  expect(await labels()).not.toContain('never came');
});

test('revokes the key when the hand-over fails because the tool is gone or another program has its port', async () => {
  for (const impostor of [false, true]) {
    const waiting = await start({ label: 'gone' });
    await page.goto(waiting.url);
    await compareCode();
    waiting.cancel();
    const { port } = new URL(callbackOf(waiting));
    const server = createServer((request, response) => {
      const headers = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' };
      response.writeHead(request.method === 'OPTIONS' ? 204 : 200, headers);
      response.end(JSON.stringify({ verifier: 'AAAA', walletAddress: '0x1', accountId: '0x2' }));
    });
    if (impostor) await new Promise<void>((resolve) => server.listen(Number(port), '127.0.0.1', resolve));
    await connect().click();
    await page.getByText('nothing is left on chain').waitFor();
    await page.getByText(impostor ? 'Another program responded' : 'The tool no longer responds').waitFor();
    server.close();
    expect(await labels()).not.toContain('gone');
    await expect(stat(path)).rejects.toThrow('ENOENT');
  }
});

test('accepts only what the chain confirms, and keeps its existing file', async () => {
  await start({ patienceMs: 0 });
  const { url, done } = signIn!;
  const request = parseSignInFragment(new URL(url).hash);
  const { delegatePrivateKey, accountId, walletAddress, packageId } = system.credentials;
  const handOver: HandOver = {
    privateKey: fromHex(delegatePrivateKey),
    accountId,
    walletAddress,
    packageId,
    scope: { ...fullScope },
  };
  const other = newTestKey();
  const wrong: [change: Partial<HandOver>, says: string][] = [
    [{ privateKey: fromHex(other.privateKey) }, 'not registered'],
    [{ scope: { ...fullScope, perms: 1 } }, 'permissions differ'],
    [{ walletAddress: other.address }, `expected the wallet of its local system, ${walletAddress}`],
    [{ packageId: other.address }, 'different contract'],
  ];
  for (const [change, says] of wrong)
    await expect(
      handOverCode(sealHandOver(nodePrimitives, request, { ...handOver, ...change })),
    ).rejects.toThrow(says);
  await expect(stat(path)).rejects.toThrow('ENOENT');
  const code = sealHandOver(nodePrimitives, request, handOver);
  expect(await handOverCode(code)).toEqual({ walletAddress, accountId });
  expect(await done).toMatchObject({ label: 'memrelay up' } satisfies Partial<CredentialFile>);
  await expect(handOverCode(code)).rejects.toMatchObject({ code: 'nobody_waits' });

  // Closing the page while the tool checks does not stop the sign-in
  await start();
  const abrupt = parseSignInFragment(new URL(signIn!.url).hash);
  const body = JSON.stringify({ code: sealHandOver(nodePrimitives, abrupt, handOver) });
  const closed = httpRequest({
    host: '127.0.0.1',
    port: abrupt.port,
    path: '/code',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
  });
  closed.on('error', () => undefined);
  closed.end(body, () => closed.destroy());
  expect(await signIn!.done).toMatchObject({ label: 'memrelay up' });

  await start({ patienceMs: 0 });
  const next = parseSignInFragment(new URL(signIn!.url).hash);
  const unregistered = { ...handOver, privateKey: fromHex(other.privateKey) };
  await expect(handOverCode(sealHandOver(nodePrimitives, next, unregistered))).rejects.toThrow(
    'not registered',
  );
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ label: 'memrelay up' });
});

test('creates a missing account in the same step, and asks for pairing and names the relayer for a link from elsewhere', async () => {
  const wallet = newTestKey();
  const dataDir = join(system.dataDir, 'other');
  const paths = systemPaths(dataDir);
  await writeSecretFile(paths.wallet, JSON.stringify(wallet));
  const [dashboard, nowhere] = await freePorts(2);
  const relayer = Number(new URL(system.urls.relayer).port);
  const ports = { relayer, sidecar: 0, localnet: 0, blobstore: 0, dashboard: dashboard! };
  const token = 'e'.repeat(64);
  const settings = dashboardSettings(process.env, ports, paths, system.credentials, token);
  const part: RunningPart = await startPart({ ...settings, onLine: () => undefined });
  try {
    const relayerUrl = `http://127.0.0.1:${nowhere}`;
    const waiting = await start({ webUrl: part.url, relayerUrl, label: 'first\u202E one', dataDir });
    await page.goto(waiting.url);
    await page.getByRole('heading', { name: 'Let this browser use your wallet' }).waitFor();
    await page.getByLabel('Pairing link').fill(pairingLink({ url: part.url, token }).link);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('will be created now').waitFor();
    await page.getByText(`${relayerUrl}, which is not the relayer of this computer`).waitFor();
    await compareCode();
    expect(await connect().isDisabled()).toBe(true);
    await page.getByLabel('I know this relayer').check();
    await connect().click();
    // The tool does not reach that relayer, so its key is revoked
    await page.getByText('nothing is left on chain').waitFor({ timeout: 20_000 });
    waiting.cancel();

    const second = await start({ webUrl: part.url, label: 'first\u202E one', dataDir });
    await page.goto(second.url);
    await compareCode();
    await connect().click();
    const credentials = await second.done;
    expect(credentials).toMatchObject({ walletAddress: wallet.address, label: 'first one' });
    const made = await account(credentials.accountId);
    expect(made.delegate_keys).toHaveLength(1);
    expect(made.scopes[0]!.value.perms).toBe(3);
  } finally {
    await part.stop();
  }
});
