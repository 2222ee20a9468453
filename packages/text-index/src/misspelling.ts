import type { Steps } from './base/steps.ts';
import { languagesOf } from './language/languages.ts';
import { folded, stemIn } from './language/stems.ts';

const shortest = 7;
const longest = 20;
const alphabets: readonly (readonly [RegExp, string, 'latin' | 'cyrillic'])[] = [
  [/^[a-z]+$/, 'abcdefghijklmnopqrstuvwxyz', 'latin'],
  [/^[а-я]+$/, 'абвгдежзийклмнопрстуфхцчшщъыьэюя', 'cyrillic'],
];

/** Whether one typing error in the word leaves enough of it to look for the right spelling. */
export function mayBeMisspelt(word: string): boolean {
  const plain = folded(word);
  return (
    plain.length >= shortest && plain.length <= longest && alphabets.some(([letters]) => letters.test(plain))
  );
}

/**
 * The stems of all words that differ from this one by one letter too many, too few or wrong, or by two letters in the
 * wrong order, but not in the first letter: some hundreds. `question` tells the language. One step per word.
 */
export function* spellingSteps(word: string, question: string): Steps<string[]> {
  const plain = folded(word);
  const stems = new Set<string>();
  for (const [letters, alphabet, script] of alphabets) {
    if (!letters.test(plain)) continue;
    const languages = languagesOf(question)[script];
    for (const spelling of oneErrorAway(plain, alphabet)) {
      yield;
      for (const language of languages) stems.add(stemIn(language, spelling));
    }
  }
  return [...stems];
}

function* oneErrorAway(word: string, alphabet: string): Generator<string> {
  for (let i = 1; i <= word.length; i++) {
    const [before, after] = [word.slice(0, i), word.slice(i)];
    for (const letter of alphabet) {
      yield before + letter + after;
      if (after !== '') yield before + letter + after.slice(1);
    }
    if (after !== '') yield before + after.slice(1);
    if (after.length > 1) yield before + after[1]! + after[0]! + after.slice(2);
  }
}
