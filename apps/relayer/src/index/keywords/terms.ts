import { englishStem, isStopWord } from '../../language/english.ts';
import { partsOf } from './compounds.ts';

/**
 * The terms of a text, in order and with repetitions, for the blind index and the lexical embedder. Stored tokens
 * depend on every rule here: a change needs a new label instead of "t1", and all texts must be re-indexed.
 */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const term of termsIn(text)) if (term !== undefined) terms.push(term);
  return terms;
}

/** Yields the terms one by one, and undefined for insignificant words, so that long work can pause at every word. */
export function* termsIn(text: string): Generator<string | undefined> {
  for (const [run] of prepared(text).matchAll(runs))
    for (const part of partsOf(run)) {
      if (!unspaced.test(part)) yield termOf(part);
      else for (const word of segmented(part)) yield termOf(word);
    }
}

/** Word characters, with signs that join them: `snake_case`, `a.b.c`, `x@y.z`, `https://…`, `1.2.3`, `C++`, `C#`. */
const runs =
  /\p{Script=Latin}(?:\+\+|#)(?![\p{L}\p{N}])|[\p{L}\p{N}\p{M}]+(?:(?:[-_.@/\\+#&=%~]|:\/\/|::?)[\p{L}\p{N}\p{M}]+)*/gu;

/** Scripts that put no spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** In these scripts a pair of characters is often a word. */
const ideographic = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Single letters are articles, particles or remains of a contraction. */
const singleLetter = /^[\p{Script=Latin}\p{Script=Hiragana}]$/u;

const plainLatin = /^[a-z]+$/;
const decomposable = /[\p{Script=Latin}\p{Script=Greek}]/u;

function prepared(text: string): string {
  return (
    text
      .normalize('NFKC')
      .replace(/[’ʼ‘]/g, "'")
      // A contraction or genitive: people search for the word without it
      .replace(/(\p{L})'(?:s|ll|re|ve|d|m)(?![\p{L}\p{N}])/giu, '$1')
      .replace(/(\p{L})n't(?!\p{L})/giu, '$1n')
      .replace(/(\d),(?=\d{3}(?!\d))/g, '$1')
  );
}

/** Words from a dictionary, and pairs of characters, because a question may be segmented differently. */
function* segmented(part: string): Generator<string> {
  for (const { segment, isWordLike } of segmenter.segment(part)) {
    if (!isWordLike) continue;
    yield segment;
    const characters = [...segment];
    if (characters.length > 2 && ideographic.test(segment))
      for (let i = 0; i + 2 <= characters.length; i++) yield characters.slice(i, i + 2).join('');
  }
}

/** Undefined for an insignificant word. */
function termOf(word: string): string | undefined {
  const plain = decomposable.test(word) ? word.normalize('NFD').replace(/\p{M}+/gu, '') : word;
  if (isStopWord(plain) || singleLetter.test(plain)) return undefined;
  return plainLatin.test(plain) ? englishStem(plain) : plain;
}
