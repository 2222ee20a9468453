import { formerEnglishStem, months } from '../language/english.ts';
import {
  cyrillicLanguages,
  isStopWord,
  type Language,
  languagesOf,
  latinLanguages,
  type TextLanguages,
} from '../language/languages.ts';
import { folded, stemIn } from '../language/stems.ts';
import { partsOf } from './compounds.ts';
import { phoneTerms } from './phone-numbers.ts';
import { isUnspaced, scriptParts, unspacedTerms } from './unspaced.ts';
import { wordParts } from './word-parts.ts';

/**
 * Version of the rules by which texts become terms. Stored with each blind index entry. Increase it with every change
 * that gives a text other terms: entries of other versions count as stale and are computed again. The lexical embedder
 * uses the same terms, so its name changes too.
 */
export const tokenizerVersion = 2;

/**
 * The forms by which one word of a text is found, at least one. The first is its stem in the text's most likely
 * language; others are stems in languages that are nearly as likely, and the parts of a compound word.
 */
export type TermForms = readonly string[];

/** All terms of a text, in order and with repetitions. */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const forms of termsIn(text)) if (forms) terms.push(...forms);
  return terms;
}

/** Only the first form of each word. */
export function stemsOf(text: string): string[] {
  const terms: string[] = [];
  for (const forms of termsIn(text)) if (forms) terms.push(forms[0]!);
  return terms;
}

/** Yields the words one by one, and undefined for insignificant words, so that long work can pause at every word. */
export function* termsIn(text: string): Generator<TermForms | undefined> {
  const languages = languagesOf(text);
  for (const word of wordsIn(text)) {
    if (typeof word !== 'string') yield word;
    else yield isInsignificant(word, languages) ? undefined : formsIn(word, languages);
  }
}

/** A word of a question. */
export interface AskedWord {
  term: string;
  /** Other forms of the same word, most likely first */
  forms: readonly string[];
  /** The words that it may consist of */
  parts: readonly string[];
  /** As written, in lower case */
  word: string;
}

/**
 * Yields the words of a question. Its language is less certain than that of a text, and texts may be in other languages,
 * so each word is looked up by its stems in all languages of its script. In a question that is certainly English, only
 * the words that `isName` returns true for: with all words, results in English are the same within noise (0.650 and
 * 0.946 instead of 0.649 and 0.947), but five times as many tokens are looked up.
 */
export function* askedWords(question: string, isName: (word: string) => boolean): Generator<AskedWord> {
  const languages = languagesOf(question);
  const seen = new Set<string>();
  for (const word of wordsIn(question)) {
    if (word === undefined) continue;
    if (typeof word !== 'string') yield { term: word[0]!, forms: word.slice(1), parts: [], word: word[0]! };
    else if (!seen.has(word) && !isInsignificant(word, languages)) {
      seen.add(word);
      const [term, ...forms] = askedForms(word, languages, isName(word));
      const of = languagesFor(word, languages);
      yield { term: term!, forms, parts: of ? compoundParts(word, of) : [], word };
    }
  }
}

/** A word in lower case with its accents, or the forms of a term without language. */
type Word = string | TermForms | undefined;

function* wordsIn(text: string): Generator<Word> {
  const plain = prepared(text);
  for (const [run] of plain.matchAll(runs)) {
    if (emoji.test(run)) {
      yield [plainEmoji(run)];
      continue;
    }
    for (const part of partsOf(run)) {
      if (!mayBeUnspaced.test(part)) yield wordOf(part);
      else
        for (const [piece] of part.matchAll(scriptParts)) {
          if (isUnspaced(piece)) yield* unspacedTerms(piece);
          else yield wordOf(piece);
        }
    }
  }
  for (const term of phoneTerms(plain)) yield [term];
}

const emojiPart = '(?![©®‼⁉™ℹ])\\p{Extended_Pictographic}[\\ufe0f\\u20e3\\p{Emoji_Modifier}]{0,2}';
const emoji = /^(?:\p{RI}|\p{Extended_Pictographic})/u;

/**
 * Word characters, with signs that join them: `snake_case`, `a.b.c`, `x@y.z`, `https://…`, `1.2.3`, `C++`, `C#`; and
 * emoji.
 */
const runs = new RegExp(
  `\\p{RI}{2}|${emojiPart}(?:\\u200d${emojiPart}){0,5}|` +
    '\\p{Script=Latin}(?:\\+\\+|#)(?![\\p{L}\\p{N}])|' +
    '[\\p{L}\\p{N}\\p{M}]+(?:(?:[-_.@/\\\\+#&=%~]|:\\/\\/|::?)[\\p{L}\\p{N}\\p{M}]+)*',
  'gu',
);

const mayBeUnspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Single letters are articles, particles or remains of a contraction. */
const singleLetter = /^[\p{Script=Latin}\p{Script=Hiragana}]$/u;

const latin = /[\p{Script=Latin}]/u;
const cyrillic = /[\p{Script=Cyrillic}]/u;

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

/** Without skin tone and variation selectors. */
function plainEmoji(run: string): string {
  return run.replace(/[\ufe0f\p{Emoji_Modifier}]/gu, '');
}

function wordOf(part: string): Word {
  const word = part.toLowerCase();
  // Dates in digits are found by the month in any language
  return months.has(word) ? [stemIn('en', word)] : word;
}

function isInsignificant(word: string, languages: TextLanguages): boolean {
  const of = languagesFor(word, languages);
  return singleLetter.test(folded(word)) || (of !== undefined && isStopWord(word, of));
}

/** Undefined for a word in another script. */
function languagesFor(
  word: string,
  { latin: ofLatin, cyrillic: ofCyrillic }: TextLanguages,
): readonly Language[] | undefined {
  if (latin.test(word)) return ofLatin;
  return cyrillic.test(word) ? ofCyrillic : undefined;
}

function formsIn(word: string, languages: TextLanguages): TermForms {
  const of = languagesFor(word, languages);
  if (!of) return [folded(word)];
  return [...new Set([...of.map((language) => stemIn(language, word)), ...compoundParts(word, of)])];
}

/** The stems of the parts of a compound word, in the most likely language. */
function compoundParts(word: string, [language]: readonly Language[]): string[] {
  return wordParts(language!, word).map((part) => stemIn(language!, part));
}

/** All stems of a word, of the likely languages first, then as spelt, and as tokenizer 1 had it. */
function askedForms(word: string, languages: TextLanguages, isName: boolean): TermForms {
  const of = languagesFor(word, languages);
  if (!of) return [folded(word)];
  const isEnglish = of.length === 1 && of[0] === 'en' && languages.certain;
  const all = isEnglish && !isName ? of : latin.test(word) ? latinLanguages : cyrillicLanguages;
  const plain = folded(word);
  const spellings = [word, ...umlautSpellings(word)];
  const forms = spellings.flatMap((spelling) =>
    [...of, ...all].map((language) => stemIn(language, spelling)),
  );
  return [...new Set([...forms, plain, formerEnglishStem(plain)])];
}

/** The word with ä as ae and with ae as ä; also for ö and ü. */
function umlautSpellings(word: string): string[] {
  const written = word.replace(/[äöü]/gu, (umlaut) => `${folded(umlaut)}e`);
  const short = word.replace(/(?:(?<!q)u|[ao])e/gu, (pair) => pair[0]!);
  return [written, short].filter((spelling) => spelling !== word);
}
