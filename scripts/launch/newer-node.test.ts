import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { newerNode } from './newer-node.mjs';

let root: string;
let printed: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'memrelay-node-'));
  printed = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true });
});

const cacheFile = () => join(root, 'node_modules', '.cache', 'memrelay-node.json');

/** Creates a command named `npx` that runs this script. */
function standInForNpx(script: string): void {
  const folder = join(root, 'bin');
  mkdirSync(folder);
  writeFileSync(join(folder, 'npx'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env.PATH}`);
}

it('uses a Node that is new enough as it is', async () => {
  expect(await newerNode(root, '24.1.0')).toEqual({});
  expect(printed).toBe('');
});

it('says once that Node 24 is needed, and then finds it without npm', async () => {
  standInForNpx(`echo called >> ${join(root, 'calls')}; echo ${process.execPath}`);
  const first = await newerNode(root, '20.20.2');
  expect(first).toMatchObject({ node: process.execPath });
  expect(first?.env?.PATH?.split(delimiter)[0]).toBe(dirname(process.execPath));
  expect(printed).toContain('This command needs Node 24, and this is 20.20.2.');
  printed = '';
  expect(await newerNode(root, '20.20.2')).toMatchObject({ node: process.execPath });
  expect(printed).toBe('');
  expect(readFileSync(join(root, 'calls'), 'utf8')).toBe('called\n');
});

it('gets it again after npm has removed it from its cache', async () => {
  standInForNpx(`echo ${process.execPath}`);
  mkdirSync(dirname(cacheFile()), { recursive: true });
  writeFileSync(cacheFile(), JSON.stringify({ node: join(root, 'gone') }));
  expect(await newerNode(root, '22.0.0')).toMatchObject({ node: process.execPath });
});

it('explains in two lines that it cannot be downloaded', async () => {
  standInForNpx('echo "npm error code ENOTFOUND" >&2; exit 1');
  expect(await newerNode(root, '20.20.2')).toBeUndefined();
  expect(printed).toContain('Node 24 could not be downloaded from npm (ENOTFOUND).');
  expect(printed).toContain('npm start works without it');
});
