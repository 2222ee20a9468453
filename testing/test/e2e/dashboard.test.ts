import { MemRelay } from '@memrelay/sdk/mem-relay';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type DashboardPage, openDashboard, openMemories, pageFaults } from '../../src/dashboard-page.ts';
import { launchChromium } from '../../src/launch-chromium.ts';
import { type PrivateSystem, startPrivateSystem } from '../../src/private-system.ts';

/** Tests the dashboard as its owner uses it: a real browser, the running system, and only what the page shows. */

let system: PrivateSystem;
let browser: Browser;
let tool: MemRelay;
let opened: DashboardPage;
let page: Page;

beforeAll(async () => {
  [system, browser] = await Promise.all([startPrivateSystem(), launchChromium()]);
  tool = MemRelay.fromCredentials(system.credentials);
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

const row = (text: string) => page.getByRole('listitem').filter({ hasText: text });
const button = (name: string) => page.getByRole('button', { name, exact: true });
const store = (text: string, options: { namespace?: string; tags?: string[] } = {}) =>
  tool.rememberAndWait(text, options);
async function idOf(text: string, namespace: string): Promise<string> {
  return (await tool.recall(text, { namespace, minScore: -1 })).results.find((hit) => hit.text === text)!.id;
}

test('leads from the first visit to the first memory, and lists the key of the browser', async () => {
  await visit();
  await page.getByRole('heading', { name: 'Store your first memory' }).waitFor();
  await page.getByRole('link', { name: 'Memories' }).first().click();
  await page.getByRole('heading', { name: 'No memories yet' }).waitFor();
  await button('Add memory').first().click();
  await button('Save memory').click();
  await page.getByText('Enter a text.').waitFor();
  await page.getByLabel('What should be remembered?').fill('The heron nests behind the boathouse.');
  await page.getByLabel('Tags').fill('birds, lake');
  await button('Save memory').click();
  await page.getByText('Memory stored').waitFor();
  await row('The heron nests').getByText('birds').waitFor();
  await row('The heron nests').getByText('Stored', { exact: true }).waitFor();
  expect((await tool.recall('where is the heron?')).results[0]).toMatchObject({ tags: ['birds', 'lake'] });

  // The key survives a reload, is never stored readably, and can be revoked
  await page.reload();
  await row('The heron nests').waitFor();
  await page.goto('/keys');
  await row('Dashboard').getByText('This browser').waitFor();
  await row('memrelay up').getByText('Used by this system').waitFor();
  await page.getByRole('button', { name: 'Revoke Dashboard' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke', exact: true }).click();
  await row('Dashboard').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Memories' }).click();
  await page.getByRole('button', { name: 'Open my memories' }).waitFor();
});

interface StoredKey {
  fields: string[];
  isExtractable: boolean;
  bytes: number;
}
/** Everything that the browser stores about the key. A string, because tests have no types of a page. */
const readStoredKey = `new Promise((resolve, reject) => {
  const opening = indexedDB.open('memrelay');
  opening.onerror = () => reject(opening.error);
  opening.onsuccess = () => {
    const reading = opening.result.transaction('keys').objectStore('keys').getAll();
    reading.onsuccess = () => {
      const [key] = reading.result;
      resolve({
        fields: Object.keys(key).sort(),
        isExtractable: key.wrappingKey.extractable,
        bytes: key.sealed.byteLength,
      });
    };
  };
})`;

test('keeps the key of the browser encrypted with a key that scripts cannot read out', async () => {
  await visit();
  const stored = await page.evaluate<StoredKey>(readStoredKey);
  expect(stored).toEqual({
    fields: ['iv', 'publicKey', 'sealed', 'wrappingKey'],
    isExtractable: false,
    // 32 of the key, 16 of the authentication tag
    bytes: 48,
  });
  expect(await page.evaluate('Object.keys(localStorage)')).toEqual([]);
});

test('pairs the browser, not only the tab, until the system stops', async () => {
  await visit();
  const second = await page.context().newPage();
  await second.goto('/keys');
  await second.getByText('This browser').waitFor();
  const stranger = await browser.newContext({ baseURL: system.urls.dashboard });
  const unpaired = await stranger.newPage();
  await unpaired.goto('/');
  await unpaired.getByRole('heading', { name: 'Let this browser use your wallet' }).waitFor();
  await stranger.close();
});

test('explains an address without a page', async () => {
  await visit();
  const response = await page.goto('/memory');
  expect(response?.status()).toBe(404);
  await page.getByRole('link', { name: 'Go to the overview' }).click();
  await page.getByRole('heading', { name: 'Your memory' }).waitFor();
  // Chromium reports the status itself
  expect(opened.problems.splice(0)).toEqual([expect.stringContaining('404')]);
});

test('filters by namespace and tag, and explains how both searches found a hit', async () => {
  await store('Dana prefers green tea.', { namespace: 'home', tags: ['dana'] });
  await store('Dana is allergic to hazelnuts.', { namespace: 'home', tags: ['dana', 'health'] });
  await store('The boiler is serviced in October.', { namespace: 'home' });
  await visit();
  await page.goto('/memories');
  await row('The boiler').waitFor();
  await page.getByRole('button', { name: 'Namespace' }).click();
  await page.getByRole('option', { name: 'home' }).click();
  await page.getByLabel('Only with this tag').fill('health');
  await row('The boiler').waitFor({ state: 'detached' });
  await row('hazelnuts').waitFor();
  await page.getByLabel('Only with this tag').fill('');
  await row('The boiler').waitFor();

  await page.getByRole('searchbox', { name: 'Search your memories' }).fill('is Dana allergic to something?');
  await page.getByText('memories found').waitFor();
  const [hit] = await page.getByRole('listitem').filter({ hasText: 'Why this result?' }).all();
  expect(await hit!.textContent()).toContain('hazelnuts');
  await hit!.getByText('Found by its words').waitFor();
  await hit!.getByRole('button', { name: 'Why this result?' }).click();
  await hit!.getByText('Meaning', { exact: true }).waitFor();
  await hit!.getByText('rank 1').first().waitFor();
  await hit!.getByText('Stored around it').waitFor();
  await hit!.getByText('Dana prefers green tea.').waitFor();
  await button('Clear the search').click();
  await page.getByRole('button', { name: 'The boiler' }).waitFor();
});

test('shows texts and names of others as data', async () => {
  const text = '<img src=x onerror=alert(1)> \u202Etxet neddih';
  await store(text, { namespace: '<b>bold</b>' });
  await visit();
  await page.goto('/memories');
  // The reversing character is visible, and reverses nothing
  await row('<img src=x onerror=alert(1)> \uFFFDtxet neddih').getByText('<b>bold</b>').waitFor();
  expect(await page.locator('main img, main b').count()).toBe(0);
});

test('replaces a memory and shows its history', async () => {
  await store('The launch is on March 3.', { namespace: 'work', tags: ['launch'] });
  await visit();
  await page.goto('/memories?namespace=work');
  await page.getByRole('button', { name: 'The launch is on March 3.' }).click();
  await button('Edit').click();
  await page.getByLabel('New text').fill('The launch moved to March 17.');
  await button('Replace').click();
  await page.getByText('Memory stored').waitFor();
  await row('March 3').getByText('Replaced').waitFor();
  await page.getByRole('button', { name: 'The launch moved to March 17.' }).click();
  const dialog = page.getByRole('dialog', { name: 'Memory' });
  await dialog.getByText('Earlier version').waitFor();
  await dialog.getByText('launch', { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'The launch is on March 3.' }).click();
  await dialog.getByText('Later version').waitFor();
});

test('forgets several memories, but sends nothing while it can be undone', async () => {
  const texts = ['First to forget.', 'Second to forget.', 'One to keep.'];
  for (const text of texts) await store(text, { namespace: 'forget' });
  const kept = await idOf('One to keep.', 'forget');
  await visit();
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/api/forget')) sent.push(request.url());
  });
  await page.goto('/memories?namespace=forget');
  for (const text of texts.slice(0, 2)) await page.getByLabel(`Select “${text}”`).check({ force: true });
  await page.getByText('2 selected').waitFor();
  await button('Forget').click();
  await page.getByText('Nothing has been sent yet.').waitFor();
  await row('First to forget.').waitFor({ state: 'detached' });
  await button('Undo').click();
  await row('First to forget.').waitFor();
  expect(sent).toEqual([]);

  for (const text of texts.slice(0, 2)) await page.getByLabel(`Select “${text}”`).check({ force: true });
  await button('Forget').click();
  await button('Forget now').click();
  await page.getByText('2 memories forgotten').waitFor();
  expect(sent).toHaveLength(1);
  const left = await tool.memoriesPage({ namespace: 'forget' });
  expect(left.memories.map(({ id }) => id)).toEqual([kept]);
});

test('can be used with the keyboard alone', async () => {
  await store('Above.', { namespace: 'keys' });
  await store('Below.', { namespace: 'keys' });
  await visit();
  await page.goto('/memories?namespace=keys');
  await row('Above.').waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Below.' }).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Memory' }).getByText('Above.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await page.evaluate('document.activeElement.textContent')).toContain('Above.');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Space');
  await page.getByText('1 selected').waitFor();
});

test('speaks German and Japanese, and remembers the choice', async () => {
  opened = await openDashboard(browser, system, { locale: 'de-DE' });
  page = opened.page;
  await page.getByRole('button', { name: 'Meine Erinnerungen öffnen' }).click();
  await page.getByRole('heading', { name: 'Ihr Gedächtnis' }).waitFor();
  await page.getByRole('button', { name: 'Sprache' }).click();
  await page.getByRole('option', { name: '日本語' }).click();
  await page.getByRole('heading', { name: 'あなたの記憶' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'あなたの記憶' }).waitFor();
  expect(await page.getAttribute('html', 'lang')).toBe('ja');
});

test.each([
  ['light', { width: 1280, height: 800 }],
  ['dark', { width: 1280, height: 800 }],
  ['light', { width: 390, height: 780 }],
] as const)('has no accessibility violations and fits the width: %s, %o', async (colorScheme, viewport) => {
  await visit({ colorScheme, viewport, reducedMotion: 'reduce' });
  const check = async (): Promise<void> => expect(await pageFaults(page)).toEqual([]);
  await check();
  await page.getByRole('link', { name: 'Memories' }).last().click();
  await row('The boiler').waitFor();
  await check();
  await page.getByRole('button', { name: 'The boiler' }).click();
  await page.getByRole('dialog').getByText('Blob').waitFor();
  await check();
  await page.keyboard.press('Escape');
  await button('Add memory').click();
  await page.getByLabel('What should be remembered?').waitFor();
  await check();
  await page.keyboard.press('Escape');
  await page.getByRole('searchbox').fill('Dana');
  await page.getByRole('button', { name: 'Why this result?' }).first().click();
  await check();
  await page.getByRole('link', { name: 'Keys and tools' }).click();
  await row('memrelay up').waitFor();
  await check();
});
