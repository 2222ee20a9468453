import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parsePrivateKey } from '@memrelay/chain/key-file';
import { credentialFileSchema } from '@memrelay/protocol/credential-file';
import { AccountOwner } from '@memrelay/sdk/account/account-owner';
import { MemRelay } from '@memrelay/sdk/mem-relay';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type DashboardPage, openDashboard, openMemories, pageFaults } from '../../src/dashboard-page.ts';
import { type EmbeddingProvider, startEmbeddingProvider } from '../../src/embedding-provider.ts';
import { launchChromium } from '../../src/launch-chromium.ts';
import { runMemrelay } from '../../src/memrelay-command.ts';
import { type PrivateSystem, startPrivateSystem } from '../../src/private-system.ts';
import { newTestKey } from '../../src/test-owner.ts';

/** Tests keys, tools, the controls of the account and the overview in a real browser on a running system. */

const patience = { timeout: 30_000 };
let provider: EmbeddingProvider;
let system: PrivateSystem;
let browser: Browser;
let tool: MemRelay;
let owner: AccountOwner;
let opened: DashboardPage;
let page: Page;

beforeAll(async () => {
  provider = await startEmbeddingProvider();
  const environment = { LLM_API_KEY: 'test', LLM_API_BASE: provider.url, RATE_LIMIT_PER_MINUTE: '90000' };
  [system, browser] = await Promise.all([startPrivateSystem({ environment }), launchChromium()]);
  tool = MemRelay.fromCredentials(system.credentials);
  const wallet = JSON.parse(await readFile(join(system.dataDir, 'wallet.json'), 'utf8'));
  owner = await AccountOwner.connect({
    serverUrl: system.urls.relayer,
    signer: parsePrivateKey(wallet.privateKey),
  });
  await tool.rememberAndWait('The release train leaves on Tuesdays.', { namespace: 'work' });
  await tool.rememberAndWait('The spare key is under the fern.', { namespace: 'home' });
});
afterAll(async () => {
  tool?.destroy();
  await browser?.close();
  await system?.dispose();
  await provider?.close();
});
afterEach(async () => {
  await page.context().close();
  expect(opened.problems).toEqual([]);
});

async function visit(path: string, options: BrowserContextOptions = {}): Promise<void> {
  opened = await openDashboard(browser, system, { baseURL: system.urls.dashboard, ...options });
  page = opened.page;
  await openMemories(opened);
  await page.goto(path);
}

const button = (name: string) => page.getByRole('button', { name, exact: true });
const row = (text: string) => page.getByRole('listitem').filter({ hasText: text });
const dialogButton = (name: string) =>
  page.getByRole('alertdialog').getByRole('button', { name, exact: true });
const account = () => owner.readAccount(system.credentials.accountId);

/** The code of the error that a call is refused with, or undefined. */
async function refusal(call: () => Promise<unknown>): Promise<string | undefined> {
  return call().then(
    () => undefined,
    (error: { code?: string }) => error.code,
  );
}

async function downloadOf(press: () => Promise<void>): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), press()]);
  return readFile((await download.path())!, 'utf8');
}

test('adds a key that works inside its scope only, shows it once, and revokes it', async () => {
  await visit('/keys');
  await button('Add a key').click();
  await button('Make the key').click();
  await page.getByText('Enter a name by which').waitFor();
  await page.getByLabel('Name', { exact: true }).fill('Build server');
  await page.getByLabel('Save').uncheck();
  await page.getByLabel('Only these namespaces').check();
  await button('Make the key').click();
  await page.getByText('Choose at least one namespace').waitFor();
  await page.getByRole('checkbox', { name: 'work' }).check();
  await page.getByLabel('How long').selectOption('30 days');
  await button('Make the key').click();

  await dialogButton('Done').click();
  await page.getByText('You have not saved it yet').waitFor();
  const text = await downloadOf(() => page.getByText('Download memrelay-build-server.json').click());
  const credential = credentialFileSchema.parse(JSON.parse(text));
  await dialogButton('Done').click();
  await row('Build server').getByText('1 namespace').waitFor();
  expect(await page.content()).not.toContain(credential.delegatePrivateKey);
  const { scopes } = await account();
  const scope = scopes.find(({ key }) => key === credential.delegateAddress)!.value;
  expect(scope).toMatchObject({ perms: 1, all_namespaces: false });
  expect((Number(scope.expires_at_ms) - Date.now()) / 86_400_000).toBeCloseTo(30, 0);

  const client = MemRelay.fromCredentials(credential);
  const recall = (namespace: string) => client.recall('When does the train leave?', { namespace });
  await expect.poll(() => refusal(() => recall('work')), patience).toBeUndefined();
  expect((await recall('work')).results[0]?.text).toBe('The release train leaves on Tuesdays.');
  expect(await refusal(() => recall('home'))).toBe('insufficient_scope');
  expect(await refusal(() => client.remember('Not allowed.', { namespace: 'work' }))).toBe(
    'insufficient_scope',
  );
  await page.reload();
  await row('Build server').getByText('Used now').waitFor();
  await row('Build server').getByText('Until').waitFor();

  await button('Revoke Build server').click();
  await dialogButton('Revoke').click();
  await row('Build server').waitFor({ state: 'detached' });
  await expect.poll(() => refusal(() => recall('work')), patience).toBe('unknown_delegate_key');
  client.destroy();
});

test('lists a sign-in over HTTP with its program and scope, and ends it', async () => {
  const host = await openConsent('Ada’s notebook');
  await page.getByLabel('Save').uncheck();
  await page.getByRole('button', { name: 'Connect' }).click();
  await page.waitForURL(`${redirectUri}?**`);
  const code = new URL(page.url()).searchParams.get('code')!;
  await page.goto('/keys');
  await row('Ada’s notebook').getByText('has not finished signing in').waitFor();

  const answer = await host.exchange({ grant_type: 'authorization_code', code });
  expect(answer.status).toBe(200);
  const { access_token, refresh_token } = (await answer.json()) as Record<string, string>;
  await page.reload();
  const grant = row('Ada’s notebook');
  await grant.getByText('The relayer keeps this key for the program').waitFor();
  await grant.getByText('Signed in over HTTP').waitFor();
  expect(await grant.locator('.tag').allTextContents()).toEqual(['Recall']);
  const ping = async (): Promise<number> => (await callTools(access_token!)).status;
  expect(await ping()).toBe(200);

  await button('Revoke Ada’s notebook').click();
  await page.getByText('the program has to ask you again').waitFor();
  await dialogButton('Revoke').click();
  await grant.waitFor({ state: 'detached' });
  await expect.poll(ping, patience).toBe(401);
  const refreshed = await host.exchange({ grant_type: 'refresh_token', refresh_token: refresh_token! });
  expect(refreshed.status).toBe(400);
});

test('freezes and unfreezes the account, starts a key epoch, sets a recovery key, and offers the account', async () => {
  await visit('/keys');
  const recall = () => tool.recall('fern', { namespace: 'home' });
  await button('Freeze').click();
  await dialogButton('Freeze the account').click();
  await page.getByText('The account is frozen').first().waitFor();
  await expect.poll(() => refusal(recall), patience).toBe('account_inactive');
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('heading', { name: 'Your account is frozen' }).waitFor();
  await page.locator('#content').getByRole('link', { name: 'Unfreeze' }).click();
  await button('Unfreeze').click();
  await dialogButton('Unfreeze the account').click();
  await button('Freeze').waitFor();
  await expect.poll(() => refusal(recall), patience).toBeUndefined();

  const { key_epoch } = await account();
  await button('Start a new one').click();
  await dialogButton('Start a new epoch').click();
  await page.getByText(`keys of epoch ${key_epoch + 1n}`).waitFor();

  await button('Set one').click();
  await page.getByText('Save the file first.').waitFor();
  const secret = await downloadOf(() => page.getByText('Download memrelay-recovery-key.txt').click());
  expect(secret).toMatch(/^[0-9a-f]{64}\n$/);
  await dialogButton('Register it').click();
  await button('Replace it').waitFor();
  expect((await account()).recovery_pk).toHaveLength(32);

  const other = newTestKey();
  await button('Offer to another wallet').click();
  await page.getByLabel('Address of the wallet').fill(other.address);
  await dialogButton('Offer').click();
  await page.locator(`[title="${other.address}"]`).waitFor();
  expect((await account()).pending_owner).toBe(other.address);
  await button('Withdraw the offer').click();
  await dialogButton('Withdraw').click();
  await button('Offer to another wallet').waitFor();
  expect((await account()).pending_owner).toBeNull();
  // Chromium reports answers of the relayer while it had not seen the change
  expect(opened.problems.splice(0).filter((problem) => !problem.includes('401'))).toEqual([]);
});

test('shows a failed job with its reason, retries it, and forecasts the same costs as the command', async () => {
  provider.fault = 400;
  const { jobId } = await tool.remember('The gate code is on the fridge.', { namespace: 'home' });
  expect(await refusal(() => tool.waitForJob(jobId))).toBe('job_failed');
  provider.fault = undefined;
  await visit('/');
  const failed = page.locator('.failed-job');
  await failed.getByText('rejected').waitFor();
  await failed.locator(`[title="${jobId}"]`).waitFor();
  await failed.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Memory stored').waitFor();
  await failed.waitFor({ state: 'detached' });

  await row('Database').getByText('OK').waitFor();
  await row('Key servers').getByText('needed').waitFor();
  await row('All your keys, in a minute').getByText('of 90,000').waitFor();
  await button('Measure').click();
  await page.getByText('1 search on this page').waitFor();
  await page.getByText('Of the latest, in the relayer').waitFor();

  const stats = await memrelay(
    'stats',
    '--forecast',
    '--credentials',
    join(system.dataDir, 'credentials.json'),
  );
  const { memory_count, forecast } = stats;
  const prices = await memrelay(
    'cost',
    '--network',
    'localnet',
    '--rpc',
    system.urls.localnet,
    '--memories',
    String(memory_count),
  );
  const walInYear = (frost: string): string =>
    (Number(frost) / 1e9).toLocaleString('en', { maximumSignificantDigits: 3 });
  for (const [name, yearly, once] of [
    ['Packed', forecast.quilted_frost, prices.quilted.total_frost],
    ['A blob for each memory', forecast.alone_frost, prices.alone.total_frost],
  ] as const) {
    await page
      .locator('.facts > div')
      .filter({ hasText: name })
      .getByText(`${walInYear(yearly)} WAL`)
      .waitFor();
    expect(prices.epochs).toBe(forecast.epochs);
    expect(Number(yearly) / Number(once)).toBeCloseTo(forecast.renewals_per_year, 2);
  }
});

const looks = [
  ['light', { width: 1280, height: 800 }],
  ['dark', { width: 1280, height: 800 }],
  ['light', { width: 390, height: 780 }],
] as const;

test.each(looks)('is accessible and fits the width: %s, %o', async (colorScheme, viewport) => {
  await visit('/', { colorScheme, viewport, reducedMotion: 'reduce' });
  await row('Database').getByText('OK').waitFor();
  await button('Measure').click();
  await page.getByText('1 search on this page').waitFor();
  expect(await pageFaults(page)).toEqual([]);
  await page.getByRole('link', { name: 'Keys and tools' }).click();
  await row('memrelay up').getByText('Used').last().waitFor();
  expect(await pageFaults(page)).toEqual([]);
  await button('Add a key').click();
  await page.getByLabel('Only these namespaces').check();
  await page.getByLabel('How long').selectOption('Until a day that I choose');
  expect(await pageFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await button('Set one').or(button('Replace it')).click();
  await page.getByText('Save the file first.').waitFor();
  expect(await pageFaults(page)).toEqual([]);
});

/** Runs a command of a program and returns its answer. */
async function memrelay(...args: string[]) {
  const { code, stdout, stderr } = await runMemrelay([...args, '--json'], {
    HOME: system.dataDir,
  });
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout.trim().split('\n').at(-1)!);
}

const redirectUri = 'http://127.0.0.1:9/callback';

/** A program that registers itself and opens the page where the owner is asked. */
async function openConsent(name: string) {
  await visit('/');
  const { relayer } = system.urls;
  const registered = await fetch(`${relayer}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: name, redirect_uris: [redirectUri] }),
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  const verifier = randomBytes(32).toString('base64url');
  const parameters = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: redirectUri,
    state: 'unguessable',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  await page.route(`${redirectUri}?**`, (route) => route.fulfill({ body: 'You can close this page.' }));
  await page.goto(`${relayer}/oauth/authorize?${parameters}`);
  await page.getByRole('button', { name: 'Connect' }).waitFor();
  return {
    exchange: (wanted: Record<string, string>) =>
      fetch(`${relayer}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          client_id,
          redirect_uri: redirectUri,
          code_verifier: verifier,
          ...wanted,
        }),
      }),
  };
}

function callTools(accessToken: string): Promise<Response> {
  return fetch(`${system.urls.relayer}/api/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${accessToken}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    }),
  });
}
