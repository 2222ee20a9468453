import { mkdtempSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { fingerprint } from './fingerprint.mjs';
import { packageNamed, packages } from './packages.mjs';
import { root } from './repository.mjs';

it('depends on the content of the sources, not on their times', () => {
  const folder = mkdtempSync(join(tmpdir(), 'memrelay-fingerprint-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const cache = join(folder, 'sources.json');
  const item = packageNamed('memrelay-mcp');
  const before = fingerprint(item, cache);
  expect(fingerprint(item, cache)).toBe(before);
  const known = JSON.parse(readFileSync(cache, 'utf8'));
  expect(Object.keys(known)).toEqual(
    expect.arrayContaining([
      'packages/mcp/src/stdio/main.ts',
      'scripts/build/bundle.mjs',
      'package-lock.json',
    ]),
  );
  expect(Object.keys(known).filter((path) => path.includes('.test.') || path.startsWith('apps/'))).toEqual(
    [],
  );
  utimesSync(join(root, 'packages/mcp/src/presets.ts'), new Date(), new Date());
  expect(fingerprint(item, cache)).toBe(before);
});

it('includes every app and the migrations in the fingerprint of the command that contains them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'memrelay-fingerprint-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const cache = join(folder, 'sources.json');
  fingerprint(packageNamed('memrelay'), cache);
  const paths = Object.keys(JSON.parse(readFileSync(cache, 'utf8')));
  for (const path of [
    'apps/relayer/src/main.ts',
    'apps/sidecar/src/main.ts',
    'apps/dashboard/src/pages/home.html',
    'apps/dashboard/build/bundle-pages.mjs',
    'examples/conversation.json',
  ])
    expect(paths).toContain(path);
  expect(paths.some((path) => path.startsWith('apps/relayer/migrations/'))).toBe(true);
});

it('a package comes after those whose bundles it could depend on', () => {
  expect(packages.map(({ name }) => name)).toEqual([
    '@memrelay/blob-id',
    '@memrelay/sdk',
    '@memrelay/ai-sdk',
    '@memrelay/langchain',
    '@memrelay/openai-agents',
    '@memrelay/blobstore',
    'memrelay-mcp',
    'memrelay',
  ]);
});
