/** Words joined by signs: identifiers, paths, versions, dates, addresses. Found as a whole and by their parts. */

const months = 'january february march april may june july august september october november december'.split(
  ' ',
);

const isoDate = /^(\d{4})-(\d{2})-(\d{2})(?:t.*)?$/;
/** Up to eight numbers: a text of a megabyte may be one run of numbers and points, and each is found by all its beginnings */
const version = /^v?(\d+(?:\.\d+){1,7})$/;
const signs = /[^\p{L}\p{N}\p{M}]+/u;
/** Few marks are looked back over: a run of a megabyte may be nothing but marks */
const humps =
  /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?=\p{N})(?<=\p{L}\p{M}{0,4})|(?<=\p{N})(?=\p{L})/u;

/** What a run of word characters and joining signs is also found by; the first is the run itself. */
export function partsOf(run: string): string[] {
  const whole = run.toLowerCase();
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
  // `e-mail` is `email` to most who ask for it
  const joined = /^[\p{L}-]+$/u.test(run) ? pieces.join('') : run;
  return [joined, hostOf(whole), ...parts].filter((part) => part !== '').map((part) => part.toLowerCase());
}

/** 1.2.3 is also asked for as 1.2. */
function shorterVersions(numbered: string): string[] {
  const numbers = numbered.split('.');
  return numbers.slice(2).map((_, i) => numbers.slice(0, i + 2).join('.'));
}

/** As people write it: 2023-05-07 is 7 May 2023. */
function dateWords([, year, month, day]: readonly string[]): string[] {
  return [year!, months[Number(month) - 1] ?? month!, String(Number(day))];
}

/** The host in a URL or an address of mail. */
function hostOf(whole: string): string {
  return /(?:^[a-z][a-z0-9+.-]*:\/\/|@)([^/?#:@]+\.[^/?#:@]+)/.exec(whole)?.[1] ?? '';
}
