import { describe, expect, it, test } from 'vitest';
import { readManifest } from '../requirements/manifest.ts';
import { repository } from '../requirements/repository.ts';
import type { VitestRun } from '../testing/run-vitest.ts';
import { mutations } from './catalogue.ts';
import { namedTests } from './named-tests.ts';
import { judge, problemBefore } from './outcome.ts';
import { pick } from './pick.ts';

const built = new Map(
  readManifest()
    .filter(({ status }) => status === 'built')
    .map((entry) => [entry.id, entry]),
);
const occurrences = (file: string, text: string): number =>
  repository.paths.includes(file) ? repository.read(file).split(text).length - 1 : 0;

describe('the catalogue of mutations', () => {
  it('has at least 150 distinct mutations, each of a built statement', () => {
    expect(mutations.length).toBeGreaterThanOrEqual(150);
    expect(mutations.filter(({ breaks }) => !built.has(breaks)).map(({ breaks }) => breaks)).toEqual([]);
    expect(new Set(mutations.map(({ file, from, to }) => [file, from, to].join('\n'))).size).toBe(
      mutations.length,
    );
  });

  it('replaces text that occurs exactly once in its file', () => {
    const wrong = mutations.filter(
      ({ file, from, to }) => occurrences(file, from) !== 1 || from === to || file.includes('.test.'),
    );
    expect(wrong.map(({ breaks, file, from }) => `${breaks}: ${file}: ${from}`)).toEqual([]);
  });
});

test('the same seed picks the same mutations, another seed picks others', () => {
  const ten = pick(mutations, 10, 'a');
  expect(pick(mutations, 10, 'a')).toEqual(ten);
  expect(pick(mutations, 10, 'b')).not.toEqual(ten);
  expect(new Set(ten).size).toBe(10);
});

test('a pattern matches the titles in a statement, with any value for a placeholder', () => {
  const { files, pattern } = namedTests({
    id: 'x.y',
    source: 'relayer.md#x',
    statement: 'X.',
    status: 'built',
    tests: ['a/b.test.ts > block > %s is (not) refused', 'a/b.test.ts > takes $count of them'],
  });
  expect(files).toEqual(['a/b.test.ts']);
  const matches = (title: string): boolean => new RegExp(pattern).test(title);
  expect(matches('outer > block > POST is (not) refused')).toBe(true);
  expect(matches('takes 5 of them')).toBe(true);
  expect(matches('block > POST is not refused')).toBe(false);
  expect(matches('takes 5 of them, and more')).toBe(false);
  expect(matches('mistakes 5 of them')).toBe(false);
});

describe('a mutation', () => {
  const run = (differences: Partial<VitestRun>): VitestRun => ({
    name: 'mutation',
    passed: 0,
    failed: 0,
    skipped: 0,
    seconds: 1,
    interrupted: false,
    cutOff: false,
    failedTests: 0,
    ...differences,
  });

  test.each([
    ['noticed', 'a named test fails', { failed: 1, failedTests: 1 }],
    ['survived', 'all named tests pass', { passed: 2 }],
    [
      'unusable',
      'vitest was killed',
      { failed: 1, cutOff: true, problem: 'vitest ended (137) without a report' },
    ],
    ['unusable', 'vitest was cut off after a test had failed', { failed: 1, failedTests: 1, cutOff: true }],
    [
      'unusable',
      'vitest ended without a report',
      { failed: 1, problem: 'vitest ended (1) without a report' },
    ],
    ['unusable', 'a file does not load', { failed: 1, problem: 'did not load or set up: a.test.ts' }],
    ['unusable', 'no test ran', { failed: 1, problem: 'no test ran' }],
  ])('is %s when %s', (outcome, _, differences) => {
    expect(judge(run(differences)).outcome).toBe(outcome);
  });

  test('is tried only when the named tests pass without it', () => {
    expect(problemBefore(run({ passed: 1 }))).toBeUndefined();
    for (const differences of [{}, { passed: 1, cutOff: true }, { passed: 1, failed: 1, failedTests: 1 }])
      expect(problemBefore(run(differences))).toBeDefined();
  });
});
