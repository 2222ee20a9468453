import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const source = new URL('./keep-compiled.mjs', import.meta.url).href;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'memrelay-compiled-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Runs a program that keeps its code in `kept`; returns what its NODE_COMPILE_CACHE is then. */
function run(kept: string, environment: NodeJS.ProcessEnv = {}): string {
  const script = `
    import { keepCompiled } from ${JSON.stringify(source)};
    keepCompiled(new URL(${JSON.stringify(pathToFileURL(kept).href)}));
    await import(${JSON.stringify(pathToFileURL(join(folder, 'program.mjs')).href)});
    console.log(process.env.NODE_COMPILE_CACHE);`;
  const env = { PATH: process.env.PATH, ...environment };
  return execFileSync(process.execPath, ['--input-type=module', '--eval', script], { env, encoding: 'utf8' });
}

test('keeps compiled code in the folder, and passes the folder on to started processes', async () => {
  await writeFile(join(folder, 'program.mjs'), 'export const answer = () => 42;\n');
  const kept = join(folder, 'compiled');
  expect(run(kept)).toBe(`${kept}\n`);
  expect(await readdir(kept)).not.toEqual([]);
});

test('leaves a folder that the environment names, and runs where none can be written', async () => {
  await writeFile(join(folder, 'program.mjs'), 'export const answer = () => 42;\n');
  const other = join(folder, 'other');
  await mkdir(other);
  expect(run(join(folder, 'compiled'), { NODE_COMPILE_CACHE: other })).toBe(`${other}\n`);
  expect(await readdir(folder)).not.toContain('compiled');
  expect(run(join(folder, 'program.mjs', 'compiled'))).toBe('undefined\n');
});
