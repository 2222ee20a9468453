/**
 * `node testing/screenshots/first-recall.ts [file]`: starts a local system and records the way from the pairing link to the first
 * recall as an animation, by default `docs/images/first-recall.webp`, with at most 2 MB.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { openDashboard } from '../src/dashboard-page.ts';
import { launchChromium } from '../src/launch-chromium.ts';
import { startPrivateSystem } from '../src/private-system.ts';

const file =
  process.argv[2] ?? fileURLToPath(new URL('../../docs/images/first-recall.webp', import.meta.url));
const maxBytes = 2_000_000;
const memory = 'Dana is allergic to hazelnuts; almonds are fine.';
const question = 'What can I bake for Dana?';
/** Characters typed between two frames */
const typed = 6;

/** Pictures, and how long each is shown, ms. */
const frames: { picture: Buffer; ms: number }[] = [];

const system = await startPrivateSystem();
const browser = await launchChromium();
try {
  const opened = await openDashboard(browser, system, {
    baseURL: system.urls.dashboard,
    viewport: { width: 1000, height: 640 },
    reducedMotion: 'reduce',
    colorScheme: 'light',
    locale: 'en-GB',
  });
  await record(opened.page);
  if (opened.problems.length > 0) throw new Error(opened.problems.join('\n'));
} finally {
  await browser.close();
  await system.dispose();
}
await encode();
const { size } = await stat(file);
if (size > maxBytes) throw new Error(`${size} bytes, more than ${maxBytes}`);

/** With `img2webp`, of Debian's package `webp`. */
async function encode(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'first-recall-'));
  try {
    const inputs: string[] = [];
    for (const [i, { picture, ms }] of frames.entries()) {
      const path = join(folder, `${i}.png`);
      await writeFile(path, picture);
      inputs.push('-d', String(ms), path);
    }
    await promisify(execFile)('img2webp', ['-loop', '0', '-lossy', '-q', '82', ...inputs, '-o', file]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function record(page: Page): Promise<void> {
  const show = async (ms: number): Promise<void> => {
    frames.push({ picture: await page.screenshot({ caret: 'initial' }), ms });
  };
  const type = async (label: string, text: string): Promise<void> => {
    const field = page.getByLabel(label);
    await field.focus();
    for (let start = 0; start < text.length; start += typed) {
      await page.keyboard.type(text.slice(start, start + typed));
      await show(140);
    }
    await show(700);
  };
  const open = page.getByRole('button', { name: 'Open my memories' });
  await open.waitFor();
  await show(2_200);
  await open.hover();
  await show(500);
  await open.click();
  await page.getByRole('heading', { name: 'Store your first memory' }).waitFor();
  await show(1_600);
  await page.getByRole('link', { name: 'Memories' }).first().click();
  await page.getByRole('heading', { name: 'No memories yet' }).waitFor();
  await show(900);
  await page.getByRole('button', { name: 'Add memory' }).first().click();
  await show(500);
  await type('What should be remembered?', memory);
  await page.getByRole('button', { name: 'Save memory' }).click();
  await page.getByText('Memory stored').waitFor();
  await page.getByText('Stored', { exact: true }).waitFor();
  await page.mouse.move(0, 0);
  await show(1_800);
  await type('Search your memories', question);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Why this result?' }).click();
  await page.mouse.move(0, 0);
  await show(4_500);
}
