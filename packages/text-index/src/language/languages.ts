import { type Language, stopWordsOf } from './stop-words.ts';

export type { Language };

/** In the order in which equally likely languages are preferred. */
export const latinLanguages = Object.keys(stopWordsOf).filter(
  (language) => language !== 'ru' && language !== 'uk',
) as Language[];
export const cyrillicLanguages: readonly Language[] = ['ru', 'uk'];

/** Letters that few languages use. */
const letters: readonly [RegExp, readonly Language[]][] = [
  [/ß/u, ['de']],
  [/[äöü]/u, ['de', 'sv', 'fi', 'tr']],
  [/ñ/u, ['es']],
  [/[ãõ]/u, ['pt']],
  [/[ışğ]/u, ['tr']],
  [/[æø]/u, ['da', 'no']],
  [/å/u, ['sv', 'da', 'no']],
  [/[êèœû]/u, ['fr']],
  [/[ыэё]/u, ['ru']],
  [/[іїєґ]/u, ['uk']],
];

/** Only this much of a text decides: enough for a certain answer, however long the text is */
const examined = 4_000;
/** A language with at least this share of the evidence for the best one may be the text's too */
const plausible = 0.6;
const atMost = 3;

/** Languages by stop word; spelt without accents too, as many people write. */
const languagesByWord = new Map<string, Set<Language>>();
for (const [language, words] of Object.entries(stopWordsOf) as [Language, ReadonlySet<string>][])
  for (const word of words)
    for (const form of [
      word,
      word
        .normalize('NFD')
        .replace(/(?<=\p{Script=Latin})\p{M}+/gu, '')
        .normalize('NFC'),
    ])
      languagesByWord.set(form, (languagesByWord.get(form) ?? new Set()).add(language));

/** The languages a text is probably in, most likely first. */
export interface TextLanguages {
  /** At most 3 */
  latin: readonly Language[];
  /** At most 2 */
  cyrillic: readonly Language[];
  /** There is as much evidence for the first of the Latin languages as one word of no other language */
  certain: boolean;
}

/**
 * Detects languages by stop words and letters. A word of several languages counts less for each. Without any evidence,
 * a text in Latin letters counts as English, and one in Cyrillic letters as Russian.
 */
export function languagesOf(text: string): TextLanguages {
  const evidence = new Map<Language, number>();
  const add = (languages: Iterable<Language>, weight: number): void => {
    for (const language of languages) evidence.set(language, (evidence.get(language) ?? 0) + weight);
  };
  for (const [word] of text
    .slice(0, examined)
    .normalize('NFC')
    .toLowerCase()
    .matchAll(/[\p{L}\p{M}]+/gu)) {
    const languages = languagesByWord.get(word);
    if (languages) add(languages, 1 / languages.size);
    else for (const [letter, some] of letters) if (letter.test(word)) add(some, 0.5 / some.length);
  }
  const latin = best(latinLanguages, evidence);
  const certain = (evidence.get(latin[0]!) ?? 0) >= 1;
  return { latin, cyrillic: best(cyrillicLanguages, evidence), certain };
}

function best(of: readonly Language[], evidence: ReadonlyMap<Language, number>): Language[] {
  const found = of
    .map((language) => ({ language, weight: evidence.get(language) ?? 0 }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight);
  const likely = found.filter(({ weight }) => weight >= plausible * found[0]!.weight);
  return likely.length > 0 ? likely.slice(0, atMost).map(({ language }) => language) : [of[0]!];
}

/**
 * Whether a lower-case word is insignificant in the first of these languages, or in most of them. A word that is so in
 * a less likely language only may be a significant one of the text's language.
 */
export function isStopWord(word: string, languages: readonly Language[]): boolean {
  const having = languagesByWord.get(word);
  if (!having) return false;
  const count = languages.filter((language) => having.has(language)).length;
  return having.has(languages[0]!) || count > languages.length / 2;
}
