import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { readLocalDashboard } from '@memrelay/sdk/local-dashboard-node';
import { pairingLink } from 'memrelay/commands/pair';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { PrivateSystem } from './private-system.ts';

/** A page of the dashboard, with everything that must not happen on it. */
export interface DashboardPage {
  page: Page;
  /** Uncaught errors, messages of the content security policy, and requests to other machines */
  problems: string[];
}

/** Opens the dashboard of a system in a browser that was never there, with a pairing link. */
export async function openDashboard(
  browser: Browser,
  system: PrivateSystem,
  options: BrowserContextOptions = {},
): Promise<DashboardPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('request', (request) => {
    if (!['127.0.0.1', 'localhost'].includes(new URL(request.url()).hostname)) problems.push(request.url());
  });
  await page.goto(pairingLink((await readLocalDashboard(system.dataDir))!).link);
  return { page, problems };
}

/** The first visit: lets the wallet register a key for this browser. */
export async function openMemories({ page }: DashboardPage): Promise<void> {
  await page.getByRole('button', { name: 'Open my memories' }).click();
  await page.getByRole('heading', { name: 'Your memory' }).waitFor();
  await page.getByRole('term').filter({ hasText: 'Encrypted storage' }).waitFor();
}

const axe = createRequire(import.meta.url).resolve('axe-core');
const violations = `axe.run().then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`;

/** What is wrong with the page as it is now: violations of axe, and content that is wider than the window. */
export async function pageFaults(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(axe, 'utf8'));
  const found = await page.evaluate<string[]>(violations);
  const width = await page.evaluate<number>('document.documentElement.scrollWidth');
  const { width: shown } = page.viewportSize()!;
  return [...found, ...(width > shown ? [`${width} pixels wide in a window of ${shown}`] : [])].map(
    (fault) => `${page.url()}: ${fault}`,
  );
}
