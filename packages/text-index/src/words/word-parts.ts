import type { Language } from '../language/languages.ts';

/** Languages that write compound words as one. */
const compounding: ReadonlySet<Language> = new Set(['de', 'nl', 'sv', 'da', 'no', 'fi']);

const shortestWord = 8;
const longestWord = 40;
const shortestPart = 4;
const mostParts = 12;

const letters = (list: string): ReadonlySet<string> => new Set(list.split(' '));
/** Consonants with which words begin and end; other divisions are inside a syllable. The first is none. */
const beginnings = letters(
  ' b bj bl br d dr dv f fj fl fr g gl gn gr h hj j k kj kl kn kr kv l m mj n p pf pfl pfr pl pr qu r s sch schl schm schn schr schw sj sk skr sl sm sn sp spl spr st str sv t tr tv v vr w wr z zw',
);
const ends = letters(
  ' b bs bst ch chs cht chts ck cks ckt d ds f ff fs ft fts g gd gs gt hl hls hm hn hns hr hrs ht k ks kt l ld lds lf lg ll lls lm ln ls lt lts lz m mm mpf mt n nd nds nft ng ngs nk nks nn nns ns nst nt nts nz p pf pp ps pt r rb rbs rd rds rf rg rgs rk rks rl rm rn rns rr rs rst rt rts rz s sch ss st t ts tt tz x z',
);
const leading = /^(?:qu|[^aeiouyäöüåæø]*)/u;
const vowel = /[aeiouyäöüåæø]/u;

function trailingConsonants(word: string): string {
  let start = word.length;
  while (start > 0 && !vowel.test(word[start - 1]!)) start -= 1;
  return word.slice(start);
}

/**
 * The words that a long word may consist of: the beginnings and ends at which it can be divided, without a linking s.
 * There is no dictionary, so some are no words. Empty for other languages and short words.
 */
export function wordParts(language: Language, word: string): string[] {
  if (!compounding.has(language) || word.length < shortestWord || word.length > longestWord) return [];
  if (!/^\p{L}+$/u.test(word)) return [];
  const parts: string[] = [];
  for (let i = shortestPart; i <= word.length - shortestPart && parts.length < mostParts; i++) {
    const [first, second] = [word.slice(0, i), word.slice(i)];
    if (!vowel.test(first) || !vowel.test(second)) continue;
    if (!beginnings.has(leading.exec(second)![0]) || !ends.has(trailingConsonants(first))) continue;
    parts.push(first, second);
  }
  return [...new Set(parts.flatMap((part) => withoutLink(part, word)))];
}

/** Without the s that joins two words: Geburtstags-feier. */
function withoutLink(part: string, word: string): string[] {
  return word.startsWith(part) && part.length > shortestPart && part.endsWith('s')
    ? [part.slice(0, -1)]
    : [part];
}
