import { expect, it } from 'vitest';
import { summarize } from './summary.ts';

const suite = { name: 'tests', passed: 5, failed: 0, skipped: 0, seconds: 1.23 };

it('ends in one closing line, alone', () => {
  expect(summarize([suite], []).split('\n').at(-1)).toBe('5 passed, 0 failed');
  const failing = { name: 'check', passed: 1, failed: 2, skipped: 0, seconds: 0, problem: 'nothing ran' };
  const text = summarize([suite, failing], ['Not tested here: Redis: no apt']);
  expect(text.split('\n').at(-1)).toBe('6 passed, 2 failed');
  expect(text).toContain('check: nothing ran');
  expect(text).toContain('Not tested here: Redis');
});

it('mentions skipped tests only if there are any', () => {
  expect(
    summarize([{ ...suite, skipped: 3 }], [])
      .split('\n')
      .at(-1),
  ).toBe('5 passed, 0 failed, 3 skipped');
});

it('names each failed test before the closing line', () => {
  const failures = [
    '/a/b.test.ts > adds: AssertionError: expected 1 to be 2',
    '/a/c.test.ts > subtracts: Error',
  ];
  const lines = summarize([{ ...suite, failed: 2, failures }], []).split('\n');
  expect(lines.slice(-3)).toEqual([
    ...failures.map((failure) => `Failed in tests: ${failure}`),
    '5 passed, 2 failed',
  ]);
});
