import { createHash, hkdfSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { allSteps } from '../src/base/steps.ts';
import { distinctionSteps } from '../src/distinctions.ts';
import { languagesOf } from '../src/language/languages.ts';
import { spellingSteps } from '../src/misspelling.ts';
import { questionOf, type RelatedTerm } from '../src/question.ts';
import { textTermSteps } from '../src/text-terms.ts';
import { createVectorMap } from '../src/vector-map.ts';
import { termsOf, tokenizerVersion } from '../src/words/terms.ts';
import { plainVector, vectors } from './vectors.ts';

const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');
const pairs = (some: readonly RelatedTerm<string>[]) => some.map(({ term, of }) => [term, of]);

describe('results that stored index entries depend on', () => {
  test('are of the current tokenizer', () => expect(vectors.tokenizer).toBe(tokenizerVersion));

  test.each(vectors.texts)('terms of $text', ({ text, latin, terms, distinctions }) => {
    expect(termsOf(text)).toEqual(terms);
    expect(languagesOf(text).latin).toEqual(latin);
    expect(allSteps(distinctionSteps(text))).toBe(distinctions);
    const entry = allSteps(textTermSteps(text));
    expect([...entry.counts.keys()]).toEqual([...new Set(terms)]);
    expect([...entry.counts.values()].reduce((sum, times) => sum + times, 0)).toBe(terms.length);
    expect(entry.distinctions).toBe(distinctions);
  });

  test.each(vectors.questions)('search terms of $text', ({ text, everyday, ...expected }) => {
    const { terms, forms, related, spelled, names } = questionOf(text, false);
    expect({ terms, forms: pairs(forms), related: pairs(related), spelled, names: [...names] }).toEqual(
      expected,
    );
    expect(pairs(questionOf(text, true).related)).toEqual(everyday);
  });

  test.each(vectors.spellings)('spellings of $word', ({ word, sha256: digest }) => {
    expect(sha256(allSteps(spellingSteps(word, `where is ${word}`)).join(' '))).toBe(digest);
  });

  test.each(vectors.vectorMap)(
    'a mapped vector of $dimension dimensions',
    ({ dimension, first, sha256: digest }) => {
      const map = createVectorMap(
        (key, info, length) => new Uint8Array(hkdfSync('sha256', key, '', info, length)),
        new Uint8Array(32).fill(7),
        dimension,
      );
      const mapped = map.apply(plainVector(dimension));
      expect([...mapped.subarray(0, 8)]).toEqual(first);
      expect(sha256(new Uint8Array(mapped.buffer))).toBe(digest);
    },
  );
});
