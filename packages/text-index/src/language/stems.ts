import { stemmer as danish } from '@orama/stemmers/danish';
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as finnish } from '@orama/stemmers/finnish';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as norwegian } from '@orama/stemmers/norwegian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import { stemmer as turkish } from '@orama/stemmers/turkish';
import { stemmer as ukrainian } from '@orama/stemmers/ukrainian';
import { englishStem, months } from './english.ts';
import { irregularForms } from './irregular-forms.ts';
import type { Language } from './languages.ts';

/** Longer words are no words of a language; some stemmers take minutes for a megabyte */
const longest = 40;

const letterPairs: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};

/** Lower-case letters without accents; Cyrillic ones only without the points of ё. */
export function folded(word: string): string {
  return word
    .normalize('NFD')
    .replace(/(?<=[\p{Script=Latin}\p{Script=Greek}]\p{M}{0,4})\p{M}/gu, '')
    .normalize('NFC')
    .replace(/[ßæœøłđðþı]/gu, (letter) => letterPairs[letter]!)
    .replaceAll('ё', 'е');
}

/** Verb forms in t (wohnt, wohnen; arbeitet, arbeiten), but not Markt or Projekt; ae, oe and ue for umlauts, but not in "qu" or at the end. */
const germanStem = (stem: string): string =>
  (stem.length < 5 ? stem : stem.replace(/(?<=[^aeiou])(?<!rk|[aeiou]k)t$|(?<=[dt])et$/u, '')).replace(
    /(?:(?<!q)u|[ao])e(?=.)/gu,
    (pair) => pair[0]!,
  );

/** Names such as Mueller also occur in English texts. Not in short words: "poem", "blue". */
const umlautsOfNames = (stem: string): string =>
  stem.length < 5 ? stem : stem.replace(/(?<=[^aeiouq])([aou])e(?=[^aeiouy])/gu, '$1');

const nordicLetters = (stem: string): string => stem.replace(/aa|ae/gu, 'a');

/** Stems whose vowel changes when it is stressed (pienso, pensar; vuelvo, volver), and spellings of one sound. */
const spanishSounds = (stem: string): string =>
  stem
    .replace(/ue(?=[^aeiou]*$)/u, 'o')
    .replace(/ie(?=[^aeiou]*$)/u, 'e')
    .replace(/(?:qu|z)$/u, 'c')
    .replace(/(?:gu|j)$/u, 'g');

interface Rules {
  stem: (word: string) => string;
  /** Restores accents that people leave out and the stemmer needs */
  before?: (word: string) => string;
  after?: (stem: string) => string;
}

const rulesOf: Record<Language, Rules> = {
  en: { stem: (word) => englishStem(folded(word)), after: umlautsOfNames },
  de: { stem: german, after: germanStem },
  fr: { stem: french },
  es: { stem: spanish, before: (word) => word.replace(/(?<=[cs])ion$/u, 'ión'), after: spanishSounds },
  pt: { stem: portuguese, before: (word) => word.replace(/cao$/u, 'ção').replace(/coes$/u, 'ções') },
  it: { stem: italian },
  nl: { stem: dutch },
  tr: { stem: turkish },
  sv: { stem: swedish, after: nordicLetters },
  da: { stem: danish, after: nordicLetters },
  no: { stem: norwegian, after: nordicLetters },
  fi: { stem: finnish },
  ru: { stem: russian, before: (word) => word.replaceAll('ё', 'е') },
  uk: { stem: ukrainian },
};

/** The stem of a lower-case word in a language, without accents. Words with digits or other signs are only folded. */
export function stemIn(language: Language, word: string): string {
  if (word.length > longest || !/^[\p{L}\p{M}]+$/u.test(word)) return folded(word);
  const { stem, before, after } = rulesOf[language];
  const known = irregularForms.get(language);
  const base = known?.get(word) ?? known?.get(folded(word));
  if (base !== undefined && months.has(base)) return englishStem(base);
  const given = base ?? word;
  const found = folded(stem(before ? before(given) : given));
  return (after ? after(found) : found) || folded(word);
}
