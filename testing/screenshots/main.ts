/**
 * `node testing/screenshots/main.ts [folder] [page…]`: starts a local system with some memories and takes pictures of each page
 * of the dashboard, or of those that are named, in both themes and on a phone. They go to `docs/images` unless a folder is named.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MemRelay } from '@memrelay/sdk/mem-relay';
import type { Page } from 'playwright-core';
import { openDashboard, openMemories } from '../src/dashboard-page.ts';
import { startEmbeddingProvider } from '../src/embedding-provider.ts';
import { launchChromium } from '../src/launch-chromium.ts';
import { type PrivateSystem, startPrivateSystem } from '../src/private-system.ts';
import { answerOf, conversation, sampleExport } from './sample-answers.ts';
import { sampleMemories } from './sample-memories.ts';

const [, , named, ...wanted] = process.argv;
const folder = named ?? fileURLToPath(new URL('../../docs/images/', import.meta.url));
const desktop = { width: 1280, height: 800 };
const phone = { width: 390, height: 780 };

/** Each page, with what to do before its picture is taken. */
const pages: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  overview: async (page) => {
    await page.goto('/');
    await page.getByText('By namespace').waitFor();
    for (const count of [1, 2, 3]) {
      await page.getByRole('button', { name: 'Measure' }).click();
      await page
        .locator('.bar-chart')
        .last()
        .locator('rect')
        .nth(count - 1)
        .waitFor();
    }
    await page.mouse.move(0, 0);
    await page.evaluate('window.scrollTo(0, 0)');
  },
  memories: async (page) => {
    await page.goto('/memories');
    await page.getByText('Dana is allergic').waitFor();
  },
  search: async (page) => {
    await page.goto('/memories?q=what+should+I+cook+for+Dana');
    await page.getByRole('button', { name: 'Why this result?' }).first().click();
  },
  memory: async (page) => {
    await page.goto('/memories');
    await page.getByRole('button', { name: 'The launch moved' }).click();
    await page.getByText('Earlier version').waitFor();
  },
  where: async (page) => {
    await page.goto('/memories');
    await page.getByRole('button', { name: 'Dana is allergic' }).click();
    await page.getByRole('link', { name: 'Where is it, and who can read it?' }).click();
    await page.getByText('in order and signed').waitFor();
  },
  access: async (page) => {
    await page.goto('/access');
    await page.getByRole('button', { name: 'home' }).click();
    await page.locator('[data-expanded] .access-keys').first().waitFor();
  },
  connect: async (page) => {
    await page.goto('/connect');
    await page.getByText('Waiting for a sign-in').waitFor();
  },
  add: async (page) => {
    await page.goto('/memories');
    await page.getByRole('button', { name: 'Add memory' }).click();
    await page.getByLabel('What should be remembered?').fill('The spare key is with Mira, two doors down.');
    await page.getByLabel('Tags').fill('home, keys');
  },
  'add-key': async (page) => {
    await page.goto('/keys');
    await page.getByRole('button', { name: 'Add a key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Build server');
    await page.getByLabel('Only these namespaces').check();
    await page.getByLabel('work').check();
  },
  ask: async (page) => {
    await page.goto('/memories/ask');
    await page.getByRole('textbox', { name: 'Question' }).fill('What should I cook for Dana?');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'From these memories' }).waitFor();
  },
  facts: async (page) => {
    await page.goto('/memories/facts');
    await page.getByRole('textbox', { name: 'Text' }).fill(conversation);
    await page.getByRole('button', { name: 'Find facts' }).click();
    await page.getByText('3 facts found').waitFor();
    await page.getByText('The mood was good.').click();
  },
  transfer: async (page) => {
    await page.goto('/memories/transfer');
    await page.getByLabel('File').setInputFiles({
      name: 'conversations.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(sampleExport)),
    });
    await page.getByText('would be imported').waitFor();
  },
  keys: async (page) => {
    await page.goto('/keys');
    await page.getByText('This browser', { exact: true }).waitFor();
  },
};

await mkdir(folder, { recursive: true });
const provider = await startEmbeddingProvider();
provider.chat.answer = answerOf;
const system = await startPrivateSystem({
  environment: { LLM_API_KEY: 'test', LLM_API_BASE: provider.url },
});
const browser = await launchChromium();
try {
  await writeMemories(system);
  for (const [name, options] of [
    ['light', { viewport: desktop, colorScheme: 'light' }],
    ['dark', { viewport: desktop, colorScheme: 'dark' }],
    ['phone', { viewport: phone, colorScheme: 'light', deviceScaleFactor: 2 }],
  ] as const) {
    const opened = await openDashboard(browser, system, {
      ...options,
      baseURL: system.urls.dashboard,
      reducedMotion: 'reduce',
      locale: 'en-GB',
    });
    const { page } = opened;
    await page.getByRole('button', { name: 'Open my memories' }).waitFor();
    await picture(page, `welcome-${name}`);
    await openMemories(opened);
    for (const [subject, prepare] of Object.entries(pages)) {
      if (wanted.length > 0 && !wanted.includes(subject)) continue;
      await prepare(page);
      await page.waitForLoadState('networkidle');
      await picture(page, `${subject}-${name}`);
    }
    if (opened.problems.length > 0) throw new Error(opened.problems.join('\n'));
    // The next visit registers a key of its own
    await page.goto('/keys');
    await page.getByRole('button', { name: 'Revoke Dashboard' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('This browser', { exact: true }).waitFor({ state: 'detached' });
    await page.context().close();
  }
} finally {
  await browser.close();
  await system.dispose();
  await provider.close();
}

/** Without hiding the caret: that takes an inline style, which the pages forbid. */
async function picture(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(folder, `dashboard-${name}.png`), caret: 'initial' });
}

async function writeMemories({ credentials }: PrivateSystem): Promise<void> {
  const client = MemRelay.fromCredentials(credentials);
  for (const { replacedBy, ...memory } of sampleMemories) {
    await client.rememberAndWait(memory.text, memory);
    if (replacedBy === undefined) continue;
    const [newest] = (await client.memoriesPage({ namespace: memory.namespace, limit: 1 })).memories;
    await client.waitForJob((await client.replace(newest!.id, replacedBy)).jobId);
  }
  client.destroy();
}
