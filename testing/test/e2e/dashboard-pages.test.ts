import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parsePrivateKey } from '@memrelay/chain/key-file';
import { AccountOwner } from '@memrelay/sdk/account/account-owner';
import { newPairingCode, readLocalDashboard } from '@memrelay/sdk/local-dashboard-node';
import { MemRelay } from '@memrelay/sdk/mem-relay';
import { readSettings } from 'memrelay-mcp/stdio/settings';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type DashboardPage, openDashboard, openMemories, pageFaults } from '../../src/dashboard-page.ts';
import { launchChromium } from '../../src/launch-chromium.ts';
import { type PrivateSystem, startPrivateSystem } from '../../src/private-system.ts';
import { newTestKey } from '../../src/test-owner.ts';

/** Tests further pages of the dashboard in a real browser on a running system. */

let system: PrivateSystem;
let browser: Browser;
let tool: MemRelay;
let owner: AccountOwner;
let opened: DashboardPage;
let page: Page;

beforeAll(async () => {
  [system, browser] = await Promise.all([startPrivateSystem(), launchChromium()]);
  tool = MemRelay.fromCredentials(system.credentials);
  const wallet = JSON.parse(await readFile(join(system.dataDir, 'wallet.json'), 'utf8'));
  owner = await AccountOwner.connect({
    serverUrl: system.urls.relayer,
    signer: parsePrivateKey(wallet.privateKey),
  });
});
afterAll(async () => {
  tool?.destroy();
  await browser?.close();
  await system?.dispose();
});
afterEach(async () => {
  await page.context().close();
  expect(opened.problems).toEqual([]);
});

async function visit(options: BrowserContextOptions = {}): Promise<void> {
  opened = await openDashboard(browser, system, { baseURL: system.urls.dashboard, ...options });
  page = opened.page;
  await openMemories(opened);
}

const button = (name: string) => page.getByRole('button', { name, exact: true });
const row = (text: string) => page.getByRole('listitem').filter({ hasText: text });
const looks = [
  ['light', { width: 1280, height: 800 }],
  ['dark', { width: 1280, height: 800 }],
  ['light', { width: 390, height: 780 }],
] as const;

describe('where a memory is and who can read it', () => {
  test('shows every place and reader, and how forgetting and one signature empty each', async () => {
    const { accountId } = system.credentials;
    const former = newTestKey();
    const job = await tool.rememberAndWait('The vault code is with Noa.', { namespace: 'vault' });
    const { objectId } = await tool.memory(job.jobId);
    await owner.addDelegate(accountId, { ...former, label: 'Old tool' });
    await owner.removeDelegate(accountId, former.publicKey);

    await visit();
    await page.goto('/memories?namespace=vault');
    await page.getByRole('button', { name: 'The vault code' }).click();
    await page.getByRole('link', { name: 'Where is it, and who can read it?' }).click();
    const states = page.locator('.places .state');
    await expect.poll(() => states.allTextContents()).toEqual(['Stored', 'Stored', 'Stored', 'Stored']);
    await page.locator(`[title="${objectId}"]`).waitFor();
    const readers = page.locator('.readers').first();
    await readers.getByText('Your wallet').waitFor();
    await readers.getByText('This browser').waitFor();
    await row('memrelay up').getByText('since it was stored').waitFor();
    // The relayer follows the chain
    await page.locator('.readers').last().locator(`[title="${former.publicKey}"]`).waitFor();
    await page
      .getByText(/^Key revoked: /)
      .first()
      .waitFor();
    await page.getByText('all in order and signed by the relayer').waitFor();
    await page
      .getByText(/, by your wallet$/)
      .first()
      .waitFor();

    await button('Forget').click();
    await expect.poll(() => states.first().textContent()).toBe('Being forgotten');
    await button('Forget now').click();
    await page.getByRole('heading', { name: 'Forgotten', exact: true }).waitFor();
    await expect
      .poll(() => states.allTextContents())
      .toEqual(['Removed', 'Still stored', 'Still stored', 'Kept']);
    expect(await page.getByText('The vault code is with Noa.').count()).toBe(0);
    await button('Delete the blob').click();
    await page.getByText('Nothing of it is left in your storage.').waitFor();
    expect(await states.allTextContents()).toEqual(['Removed', 'Deleted', 'Deleted', 'Kept']);
    for await (const blob of owner.blobs()) expect(blob.objectId).not.toBe(objectId);
    await page.getByText('Memories forgotten: 1').waitFor();

    // The same page says so later, from the audit log alone
    await page.reload();
    await page.getByText('Nothing of it is left in your storage.').waitFor();
    // Chromium reports the status of the memory itself
    expect(opened.problems.splice(0).filter((problem) => !problem.includes('404'))).toEqual([]);
  });

  test('explains an address of a memory that never existed', async () => {
    await visit();
    await page.goto('/access?memory=722fdc0e-7ca0-4868-9f2d-e284a9bf725c');
    await page.getByText('the audit log does not mention it').waitFor();
    expect(opened.problems.splice(0)).toEqual([expect.stringContaining('404')]);
  });

  test('offers to delete the blobs of memories that were forgotten in the list', async () => {
    const job = await tool.rememberAndWait('Soon forgotten.', { namespace: 'brief' });
    const { objectId } = await tool.memory(job.jobId);
    await visit();
    await page.goto('/memories?namespace=brief');
    await page.getByLabel('Select “Soon forgotten.”').check({ force: true });
    await button('Forget').click();
    await button('Forget now').click();
    await button('Delete from storage').click();
    await page.getByText('1 blob deleted').waitFor();
    for await (const blob of owner.blobs()) expect(blob.objectId).not.toBe(objectId);
  });

  test.each(looks)(
    'lists namespaces with keys and readers, accessibly: %s, %o',
    async (colorScheme, viewport) => {
      const { jobId } = await tool.rememberAndWait('Kept in the attic.', { namespace: 'attic' });
      const [key] = (await tool.keys()).filter(({ namespace }) => namespace === 'attic');
      await visit({ colorScheme, viewport, reducedMotion: 'reduce' });
      await page.getByRole('link', { name: 'Access', exact: true }).click();
      await page.getByRole('button', { name: 'attic' }).click();
      await page.locator(`[title="${key!.recipientPk}"]`).waitFor();
      await row('attic').getByText('Your wallet').waitFor();
      expect(await pageFaults(page)).toEqual([]);
      await page.goto(`/access?memory=${jobId}&namespace=attic`);
      await row('Namespace key').getByText('Stored', { exact: true }).waitFor();
      expect(await pageFaults(page)).toEqual([]);
    },
  );
});

describe('connecting', () => {
  const run = promisify(execFile);
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  const choose = async (field: string, choice: string): Promise<void> => {
    await page.getByRole('button', { name: field }).click();
    await page.getByRole('option', { name: choice, exact: true }).click();
  };
  const codes = () => page.locator('.copyable-code code').allTextContents();

  test('has snippets with the values of the account that work, and notices the first memory', async () => {
    const { accountId, delegatePrivateKey } = system.credentials;
    const env = { ...process.env, MEM_DELEGATE_KEY: delegatePrivateKey };
    await visit();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto('/connect');
    await page.getByText('Waiting for a sign-in or a new memory').waitFor();
    await button('Copy').first().click();
    await button('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      'npx memrelay mcp install claude-code',
    );

    const [, started, remote, , typescript] = await codes();
    const { command, args } = JSON.parse(started!).mcpServers.memrelay;
    expect(command).toBe('npx');
    const flags = args.slice(2);
    expect(flags).toContain(`--relayer=${system.urls.relayer}`);
    readSettings(flags, {});
    expect(JSON.parse(remote!).mcpServers.memrelay.url).toBe(`${system.urls.relayer}/api/mcp`);
    await choose('Agent host', 'Codex');
    expect((await codes())[1]).toContain('[mcp_servers.memrelay]');

    // The page has seen the account before the program runs
    await page.waitForResponse((response) => response.url().endsWith('/api/memories') && response.ok());
    const { stdout } = await run(process.execPath, ['--input-type=module-typescript', '-e', typescript!], {
      cwd,
      env,
    });
    expect(stdout).toContain('Ana likes her tea with lemon.');
    await page.getByText('Connected: a new memory in default').waitFor();

    await choose('Programming language', 'Python');
    expect((await codes()).at(-1)).toContain(`account_id="${accountId}"`);
    await choose('Programming language', 'curl');
    const answer = await run('bash', ['-c', (await codes()).at(-1)!], { env });
    expect(JSON.parse(answer.stdout)).toMatchObject({ job_id: expect.any(String) });
  });

  test('notices a key that is added while it is open', async () => {
    await visit();
    await page.goto('/connect');
    await page.waitForResponse((response) => response.url().endsWith('/api/memories') && response.ok());
    await page.waitForResponse((response) => response.url().endsWith('/api/memories') && response.ok());
    const key = newTestKey();
    await owner.addDelegate(system.credentials.accountId, { ...key, label: 'New tool' });
    await page.getByText('Connected: New tool has signed in').waitFor();
    await owner.removeDelegate(system.credentials.accountId, key.publicKey);
  });

  test.each(looks)('is accessible and fits the width: %s, %o', async (colorScheme, viewport) => {
    await visit({ colorScheme, viewport, reducedMotion: 'reduce' });
    await page.getByRole('link', { name: 'Connect', exact: true }).click();
    await page.getByText('Waiting for a sign-in').waitFor();
    expect(await pageFaults(page)).toEqual([]);
  });
});

describe('a pairing link that is refused', () => {
  const inTenMinutes = () => new Date(Date.now() + 600_000);
  const follow = async (code: string): Promise<void> => {
    page = await (await browser.newContext({ viewport: { width: 390, height: 780 } })).newPage();
    opened = { page, problems: [] };
    await page.goto(`${system.urls.dashboard}/#pairing=${code}`);
  };
  const codes: Readonly<Record<string, (token: string) => Promise<string>>> = {
    'This link has expired': async (token) => newPairingCode(token, new Date(1_000)),
    'This link is not from the running system': async () => newPairingCode('6'.repeat(64), inTenMinutes()),
    'This link is incomplete': async (token) => newPairingCode(token, inTenMinutes()).slice(0, 30),
    'This link has already been used': async (token) => {
      const code = newPairingCode(token, inTenMinutes());
      await follow(code);
      await page.getByRole('heading', { name: 'Your memory' }).waitFor();
      await page.context().close();
      return code;
    },
  };
  test.each(Object.entries(codes))('is explained: %s', async (title, codeOf) => {
    const { token } = (await readLocalDashboard(system.dataDir))!;
    await follow(await codeOf(token));
    await page.getByRole('heading', { name: title }).waitFor();
    expect(await pageFaults(page)).toEqual([]);
  });
});

test('an invalid request of a program for access gets a page that is styled, accessible, and has the request id', async () => {
  page = await (await browser.newContext({ colorScheme: 'dark' })).newPage();
  opened = { page, problems: [] };
  const response = await page.goto(`${system.urls.relayer}/oauth/authorize?client_id=%3Cb%3Eforged`);
  expect(response?.status()).toBe(400);
  await page.getByRole('heading', { name: 'This link does not work' }).waitFor();
  expect(await page.content()).not.toContain('forged');
  await page.getByText(/^Request [\w-]+$/).waitFor();
  expect(await page.evaluate('getComputedStyle(document.querySelector("main")).borderRadius')).toBe('14px');
  expect(await pageFaults(page)).toEqual([]);
});
