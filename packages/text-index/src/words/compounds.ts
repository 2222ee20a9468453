/** Compound words: identifiers, paths, versions, dates, addresses. They are found as a whole and by their parts. */

import { months } from '../language/english.ts';

const monthNames = [...months];
const isoDate = /^(\d{4})-(\d{2})-(\d{2})(?:t.*)?$/;
/** 7.5.2023 is the seventh of May wherever dates have points. */
const pointDate = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/;
/**
 * At most eight numbers: each version is found by all its prefixes, and a megabyte of text may be one run of digits and
 * points
 */
const version = /^v?(\d+(?:\.\d+){1,7})$/;
const signs = /[^\p{L}\p{N}\p{M}]+/u;
/** The lookbehind covers only few marks: a run of a megabyte may consist of marks only */
const humps =
  /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?=\p{N})(?<=\p{L}\p{M}{0,4})|(?<=\p{N})(?=\p{L})/u;

/** The terms by which a run of word characters and joining signs is found; the first one is the run itself. */
export function partsOf(run: string): string[] {
  const whole = run.toLowerCase();
  const pointed = pointDate.exec(whole);
  if (pointed && Number(pointed[2]) <= 12) {
    const [, day, month, year] = pointed;
    return [
      whole,
      `${year}-${month!.padStart(2, '0')}-${day!.padStart(2, '0')}`,
      ...dateWords(['', year!, month!, day!]),
    ];
  }
  const numbered = version.exec(whole)?.[1];
  if (numbered) return [numbered, ...shorterVersions(numbered)];
  const date = isoDate.exec(whole);
  if (date) return [whole.slice(0, 10), ...dateWords(date)];
  if (/^.(?:\+\+|#)$/u.test(whole)) return [whole];
  const pieces = run.split(signs).filter((piece) => piece !== '');
  const parts = pieces.flatMap((piece) => {
    const split = piece.split(humps);
    return split.length > 1 ? [piece, ...split] : [piece];
  });
  if (pieces.length < 2) return parts.map((part) => part.toLowerCase());
  // Most people search for `email`, not `e-mail`
  const joined = /^[\p{L}-]+$/u.test(run) ? pieces.join('') : run;
  return [joined, hostOf(whole), ...parts].filter((part) => part !== '').map((part) => part.toLowerCase());
}

/** 1.2.3 is also found as 1.2. */
function shorterVersions(numbered: string): string[] {
  const numbers = numbered.split('.');
  return numbers.slice(2).map((_, i) => numbers.slice(0, i + 2).join('.'));
}

/** The words people use for a date: 2023-05-07 is 7 May 2023. */
function dateWords([, year, month, day]: readonly string[]): string[] {
  return [year!, monthNames[Number(month) - 1] ?? month!, String(Number(day))];
}

/** The host of a URL or email address. */
function hostOf(whole: string): string {
  return /(?:^[a-z][a-z0-9+.-]*:\/\/|@)([^/?#:@]+\.[^/?#:@]+)/.exec(whole)?.[1] ?? '';
}
