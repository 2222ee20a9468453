import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runVitest } from './run-vitest.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'memrelay-vitest-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Runs a separate vitest on these test files, without this repository's configuration. */
function run(files: Record<string, string>, timeoutMs?: number) {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  const { VITEST, VITEST_WORKER_ID, VITEST_POOL_ID, ...env } = process.env;
  return runVitest('trial', ['--root', root, '--globals'], env, {
    output: 'ignore',
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
}

it('counts what passed, failed and was skipped', async () => {
  const result = await run({
    'a.test.js':
      "it('a', () => {}); it('b', () => { throw new Error('no'); }); it['skip']('c', () => {}); it['todo']('d');",
  });
  expect(result).toMatchObject({
    name: 'trial',
    passed: 1,
    failed: 1,
    skipped: 2,
    interrupted: false,
    cutOff: false,
    failedTests: 1,
    failures: [expect.stringMatching(/a\.test\.js > b: Error: no$/)],
  });
  expect(result.problem).toBeUndefined();
});

it('counts a file that does not load and a hook that throws', async () => {
  const result = await run({
    'a.test.js': "import './missing.js'; it('a', () => {});",
    'b.test.js': "beforeAll(() => { throw new Error('no'); }); it('b', () => {});",
    'c.test.js': "it('c', () => {});",
  });
  expect(result).toMatchObject({ passed: 1, failed: 2, cutOff: false, failedTests: 0 });
  expect(result.problem).toMatch(
    /did not load or set up: .*a\.test\.js.*b\.test\.js|b\.test\.js.*a\.test\.js/,
  );
});

it('counts an error that no test caught', async () => {
  const result = await run({ 'a.test.js': "it('a', () => { void Promise.reject(new Error('unheard')); });" });
  expect(result).toMatchObject({ passed: 1, failed: 1 });
  expect(result.problem).toContain('outside of any test');
});

it('counts no tests as a failure', async () => {
  expect(await run({})).toMatchObject({ passed: 0, failed: 1, problem: 'no test ran' });
});

it('tells a run that was cut off from one whose tests failed', async () => {
  const endless = "it('a', () => { for (;;); });";
  expect(await run({ 'a.test.js': endless }, 2_000)).toMatchObject({
    failed: 1,
    failedTests: 0,
    cutOff: true,
    interrupted: false,
  });
});
