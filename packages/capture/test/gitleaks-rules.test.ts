import { findSecrets } from '@memrelay/capture/find-secrets';
import { entropyOf } from '@memrelay/capture/secret-rule';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import gitleaks from '../src/gitleaks-rules.json' with { type: 'json' };

test('finds what each published rule describes', () => {
  const missed = gitleaks.rules.filter(({ keywords, pattern }) => {
    const text = fc.noBias(fc.stringMatching(generatable(pattern))).map((each) => `${keywords[0]} ${each} `);
    const isFound = (numRuns: number): boolean =>
      fc.sample(text, { numRuns, seed: 1 }).some((each) => findSecrets(each).length > 0);
    // Few texts of a rule that requires much entropy have enough
    return !isFound(10) && !isFound(500);
  });
  expect(missed.map(({ kind }) => kind)).toEqual([]);
});

test('computes the entropy in bits per character', () => {
  expect(entropyOf('aaaa')).toBe(0);
  expect(entropyOf('abcd')).toBe(2);
});

/** Anchored, without the assertions that fast-check cannot generate, and with as much entropy as real secrets. */
function generatable(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern.replace(/\\b/gi, '').replace('[\\w=\\-]', '\\w')})$`);
}
