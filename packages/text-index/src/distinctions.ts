import { sortSteps } from './base/sort-steps.ts';
import type { Steps } from './base/steps.ts';

/**
 * The numbers and negations of a text, by which texts with nearly the same words can still differ in meaning. Texts
 * with the same numbers and the same number of negations have the same result. One step per word. Number words are
 * English, like the stems; "2" and "two" are the same.
 */
export function* distinctionSteps(text: string): Steps<string> {
  const normal = text.normalize('NFKC');
  yield;
  const lower = normal.toLowerCase();
  yield;
  const plain = lower.replace(/[’ʼ‘]/g, "'");
  yield;
  const numbers: string[] = [];
  let negations = 0;
  for (const [word] of plain.matchAll(words)) {
    if (digits.test(word)) numbers.push(word.replace(/^0+(?=\d)/, ''));
    else if (negative.has(word) || word.endsWith("n't")) negations += 1;
    else {
      const number = numberWords.indexOf(word);
      if (number > 0) numbers.push(String(number));
    }
    yield;
  }
  return JSON.stringify([yield* sortSteps(numbers), negations]);
}

const words = /\p{Nd}+|\p{L}+(?:'\p{L}+)?/gu;
const digits = /^\p{Nd}/u;
const negative: ReadonlySet<string> = new Set(
  'no not never none nobody nothing nowhere neither nor without cannot'.split(' '),
);
/** The index is the value. Without "one", which is more often a pronoun than a number */
const numberWords = '- - two three four five six seven eight nine ten eleven twelve'.split(' ');
