import { readFile, stat, writeFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { loadPages } from '../src/node-pages.ts';

it('pages are bundled, reference only existing files, and contain no inline scripts', async () => {
  const pages = await loadPages();
  const html = [...pages].filter(([file]) => file.endsWith('.html'));
  expect(html.map(([file]) => file).sort()).toEqual(
    expect.arrayContaining(['connect-mcp.html', 'connect-oauth.html', 'home.html']),
  );
  for (const [file, { type, body }] of html) {
    const text = body.toString('utf8');
    expect(type).toBe('text/html; charset=utf-8');
    const named = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!.slice(1));
    expect(named.length, file).toBeGreaterThan(2);
    expect(named.filter((path) => !pages.has(path))).toEqual([]);
    expect(text).not.toMatch(/<script(?![^>]*src=)|<style|style=|\son\w+=/);
  }
});

it('the scripts of each page have at most 250 KB, are compressed, and are not a development build', async () => {
  const pages = await loadPages();
  for (const [file, { body }] of pages) {
    if (!file.endsWith('.html')) continue;
    const named = [...body.toString('utf8').matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)];
    const scripts = named.map(([, path]) => pages.get(path!)!);
    expect(scripts.every(({ isGzip }) => isGzip)).toBe(true);
    expect(
      scripts.reduce((sum, script) => sum + script.body.length, 0),
      file,
    ).toBeLessThan(250_000);
    expect(scripts.map((script) => gunzipSync(script.body).toString()).join()).not.toMatch(
      /jsxDEV|act\(\.\.\.\)/,
    );
  }
});

it('a second load does not rebuild', async () => {
  const record = new URL('../dist/build.json', import.meta.url);
  await loadPages();
  const { mtimeMs } = await stat(record);
  await loadPages();
  expect((await stat(record)).mtimeMs).toBe(mtimeMs);
});

it('rebuilds when a source has changed', async () => {
  const record = new URL('../dist/build.json', import.meta.url);
  await loadPages();
  const built = JSON.parse(await readFile(record, 'utf8'));
  const sources = { ...built.sources, 'apps/dashboard/src/ui/page.css': 'another text' };
  await writeFile(record, JSON.stringify({ ...built, sources }));
  await loadPages();
  expect(JSON.parse(await readFile(record, 'utf8'))).toEqual(built);
});
