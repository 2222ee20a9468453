import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pageFaults } from '@memrelay/dev-env/dashboard-page';
import { launchChromium } from '@memrelay/dev-env/launch-chromium';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSections, writtenPages } from '../src/pages/contents.ts';
import { type SiteServer, serveSite } from '../src/serve-site.ts';
import { type BuiltPage, fileOf, readBuiltPages } from './built-pages.ts';

/** Builds the site once, as a copy of a version in a folder of a host, and checks what was built. */

const base = '/memrelay/v0.1.0/';
const origin = 'https://docs.example';
const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
let folder: string;
let out: string;
let output: string;
let pages: BuiltPage[];
let server: SiteServer;
let browser: Browser;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'memrelay-site-'));
  out = join(folder, 'v0.1.0');
  const args = [main, 'build', '--out', out, '--url', `${origin}/memrelay/`, '--folder', 'v0.1.0/'];
  [{ stdout: output }, browser] = await Promise.all([
    promisify(execFile)(process.execPath, args),
    launchChromium(),
  ]);
  pages = readBuiltPages(out);
  // A later version has been published since
  writeFileSync(join(folder, 'versions.json'), '[{"name":"0.2.0","path":"v0.2.0/"}]');
  server = await serveSite(folder, '/memrelay/');
});
afterAll(async () => {
  await Promise.all([browser?.close(), server?.close()]);
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const text = (file: string): string => readFileSync(join(out, file), 'utf8');

describe('the pages', () => {
  it('contain everything in docs, each listed in the contents', () => {
    const listed = new Set(
      readSections(writtenPages()).flatMap(({ entries }) => entries.map(({ path }) => path.split('#')[0])),
    );
    const notListed = writtenPages().filter(
      ({ source, path }) => source!.startsWith('docs/') && !listed.has(path),
    );
    expect(notListed.map(({ source }) => source)).toEqual(['docs/README.md']);
    for (const { path } of writtenPages()) expect(existsSync(join(out, `${path}.html`)), path).toBe(true);
  });

  it('link only to existing pages and headings', () => {
    const ids = new Map(pages.map((page) => [page.file, page.ids]));
    const broken = pages.flatMap(({ file, links }) =>
      links
        .filter((link) => {
          const target = fileOf(link, file, base);
          if (!target) return false;
          if (!existsSync(join(out, target.file))) return true;
          return target.anchor !== undefined && ids.get(target.file)?.has(target.anchor) === false;
        })
        .map((link) => `${file}: ${link}`),
    );
    expect([...new Set(broken)]).toEqual([]);
  });

  it('can all be reached from the first one', () => {
    const byFile = new Map(pages.map((page) => [page.file, page]));
    const reached = new Set(['index.html']);
    // A set also iterates over what is added on the way
    for (const file of reached)
      for (const link of byFile.get(file)?.links ?? []) {
        const target = fileOf(link, file, base)?.file;
        if (target?.endsWith('.html')) reached.add(target);
      }
    expect(pages.map(({ file }) => file).filter((file) => !reached.has(file))).toEqual(['404.html']);
    expect(reached).toContain('reference/http-explorer.html');
  });

  it('load nothing from other servers', () => {
    const foreign = pages.flatMap(({ file, resources }) =>
      resources.filter((link) => /^(?:[a-z]+:)?\/\//.test(link)).map((link) => `${file}: ${link}`),
    );
    expect(foreign).toEqual([]);
  });
});

describe('the references', () => {
  it('describe the TypeScript SDK and its subpaths', () => {
    for (const name of ['sdk', 'sdk-account', 'sdk-audit', 'sdk-bundle', 'sdk-credentials', 'sdk-manual'])
      expect(text(`reference/${name}.md`)).toMatch(/^# `@memrelay\/sdk/);
    expect(text('reference/sdk.md')).toContain('recall(query: string, options?: RecallOptions)');
    expect(text('reference/sdk.md')).toContain('Finds memories by meaning');
  });

  it('describe every route of the HTTP API', () => {
    const { paths } = JSON.parse(text('reference/openapi.json')) as { paths: Record<string, object> };
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `### \`${method.toUpperCase()} ${path}\``),
    );
    expect(routes.length).toBeGreaterThan(40);
    expect(routes.filter((route) => !text('reference/http.md').includes(route))).toEqual([]);
  });

  it('describe the Python package, or say why not', () => {
    const page = text('reference/python.md');
    const reason = /No Python reference: (.+)/.exec(output)?.[1];
    if (reason === undefined) expect(page).toMatch(/#### `remember_and_wait`[\s\S]+?def remember_and_wait\(/);
    else expect(page).toContain('without Python');
  });
});

describe('for language models', () => {
  const published = (link: string): string => link.replace(`${origin}${base}`, '');

  it('llms.txt lists every page once, by its Markdown', () => {
    const [title, , summary] = text('llms.txt').split('\n');
    expect(title).toBe('# memrelay');
    expect(summary).toMatch(/^> memrelay stores and recalls/);
    const links = [...text('llms.txt').matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(([, link]) =>
      published(link!),
    );
    expect(links.filter((link) => !existsSync(join(out, link)))).toEqual([]);
    expect(new Set(links).size).toBe(links.length);
    const expected = pages
      .map(({ file }) => file.replace(/html$/, 'md'))
      .filter((file) => existsSync(join(out, file)));
    const lists = ['contents.md', 'changes.md', 'benchmarks.md', 'python-package.md'];
    expect(expected.filter((file) => !links.includes(file) && !lists.includes(file))).toEqual([]);
  });

  it('llms-full.txt contains every page', () => {
    const full = text('llms-full.txt');
    for (const { file } of pages) {
      const page = file.replace(/html$/, 'md');
      if (existsSync(join(out, page))) expect(full.includes(text(page).trim()), page).toBe(true);
    }
    expect(full).not.toContain('[object Object]');
  });
});

describe('in a browser', () => {
  async function open(
    path: string,
    options: BrowserContextOptions = {},
  ): Promise<{ page: Page; problems: string[] }> {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(server.url) && !request.url().startsWith('data:'))
        problems.push(request.url());
    });
    await page.goto(`${server.url}v0.1.0/${path}`, { waitUntil: 'networkidle' });
    return { page, problems };
  }

  const phone = { viewport: { width: 390, height: 844 } };
  const typical = ['', 'recall', 'reference/sdk', 'architecture', 'recipes/', 'dashboard'];

  it.each(['light', 'dark'] as const)(
    'has no error, foreign request or fault of accessibility in the %s theme',
    async (colorScheme) => {
      for (const path of typical) {
        const { page, problems } = await open(path, { colorScheme });
        expect({ path, problems, faults: await pageFaults(page) }).toEqual({
          path,
          problems: [],
          faults: [],
        });
        expect(await page.locator('html.dark').count()).toBe(colorScheme === 'dark' ? 1 : 0);
        await page.context().close();
      }
    },
  );

  it('fits on a phone', async () => {
    for (const path of [...typical, 'configuration', 'reference/http', 'reference/python']) {
      const { page, problems } = await open(path, phone);
      expect({ path, problems, faults: await pageFaults(page) }).toEqual({ path, problems: [], faults: [] });
      await page.context().close();
    }
  });

  it('shows the API document without another server', async () => {
    const { page, problems } = await open('reference/http-explorer.html');
    await page.getByRole('heading', { name: 'memrelay API' }).waitFor();
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('finds a page by its words', async () => {
    const { page, problems } = await open('');
    await page.getByRole('button', { name: 'Search' }).first().click();
    await page.locator('#localsearch-input').fill('revocation promises');
    await page
      .locator('.VPLocalSearchBox .result')
      .filter({ hasText: 'What revocation promises' })
      .first()
      .click();
    await page.waitForURL(/security#what-revocation-promises$/);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('switches to the dark theme, with dark pictures, and keeps it', async () => {
    const { page } = await open('dashboard', { colorScheme: 'light' });
    const picture = page.locator('.vp-doc img:visible').first();
    expect(await picture.getAttribute('src')).toContain('-light');
    await page.locator('.VPNavBarAppearance button').click();
    expect(await picture.getAttribute('src')).toContain('-dark');
    await page.goto(`${server.url}v0.1.0/recall`);
    await page.locator('html.dark').waitFor();
    await page.context().close();
  });

  it('lists versions that were released later', async () => {
    const { page } = await open('recall');
    const versions = page.locator('.VPNavBar .version-switch');
    await versions.getByText('0.1.0 (unreleased)', { exact: true }).click();
    expect(await versions.getByRole('link', { name: '0.2.0' }).getAttribute('href')).toBe(
      '/memrelay/v0.2.0/',
    );
    await page.context().close();
  });
});
