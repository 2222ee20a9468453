/** Dates that a question names: days as `YYYY-MM-DD`, months as `YYYY-MM`. */
export interface NamedDates {
  days: ReadonlySet<string>;
  months: ReadonlySet<string>;
}

/** Without a year, a date means any of these years before the current one, and the next. */
const yearsBack = 40;
/** English words that are rarely a month unless they are capitalized or next to a number. */
const ambiguous = new Set(['may', 'march', 'mars', 'mar', 'dec', 'sep', 'jan']);

/** Months in English (also shortened), German, Spanish and French. `Intl` knows them too, but loads 9 MB for it. */
const monthNames = [
  'january february march april may june july august september october november december',
  'jan feb mar apr may jun jul aug sep oct nov dec',
  'januar februar märz april mai juni juli august september oktober november dezember',
  'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre',
  'janvier février mars avril mai juin juillet août septembre octobre novembre décembre',
];
const monthNumbers = new Map(
  monthNames.flatMap((names) => names.split(' ').map((name, index): [string, number] => [name, index + 1])),
);

const isoDate = /(?<!\d)(\d{4})-(\d{2})(?:-(\d{2}))?(?!\d)/g;
const word = /[\p{L}]+|\d+/gu;

/** Reads dates such as `2023-05-08`, `May 2023`, `8 May`, `May 8th, 2023` and `in May`. */
export function namedDates(question: string, nowMs: number): NamedDates {
  const days = new Set<string>();
  const months = new Set<string>();
  const thisYear = new Date(nowMs).getUTCFullYear();
  const add = (year: number | undefined, month: number, day: number | undefined): void => {
    const years =
      year === undefined ? Array.from({ length: yearsBack + 2 }, (_, i) => thisYear + 1 - i) : [year];
    for (const each of years) {
      const prefix = `${String(each).padStart(4, '0')}-${two(month)}`;
      if (day === undefined) months.add(prefix);
      else days.add(`${prefix}-${two(day)}`);
    }
  };
  for (const [, year, month, day] of question.matchAll(isoDate))
    if (Number(month) >= 1 && Number(month) <= 12)
      add(Number(year), Number(month), day === undefined ? undefined : Number(day));
  const words = [...question.replaceAll(isoDate, ' ').matchAll(word)].map(([text]) => text);
  for (const [i, text] of words.entries()) {
    const month = monthNumbers.get(text.toLowerCase());
    if (month === undefined) continue;
    const before = numberAt(words, i - 1) ?? (isSuffix(words[i - 1]) ? numberAt(words, i - 2) : undefined);
    // "8th of May", "8 de mayo"
    const earlier = ['of', 'de'].includes(words[i - 1]?.toLowerCase() ?? '')
      ? (numberAt(words, i - 2) ?? (isSuffix(words[i - 2]) ? numberAt(words, i - 3) : undefined))
      : undefined;
    const after = [numberAt(words, i + 1), numberAt(words, i + 2), numberAt(words, i + 3)];
    const dayBefore = [before, earlier].find(isDay);
    const dayAfter = dayBefore === undefined && isDay(after[0]) ? after[0] : undefined;
    const year = (dayAfter === undefined ? after.slice(0, 2) : after.slice(1)).find(isYear);
    const day = dayBefore ?? dayAfter;
    const isClear = day !== undefined || year !== undefined || !ambiguous.has(text.toLowerCase());
    if (isClear || (i > 0 && /^\p{Lu}/u.test(text))) add(year, month, day);
  }
  return { days, months };
}

const two = (number: number): string => String(number).padStart(2, '0');
const isDay = (number: number | undefined): number is number =>
  number !== undefined && number >= 1 && number <= 31;
const isYear = (number: number | undefined): number is number =>
  number !== undefined && number >= 1_000 && number <= 9_999;
const isSuffix = (text: string | undefined): boolean =>
  ['st', 'nd', 'rd', 'th'].includes(text?.toLowerCase() ?? '');

function numberAt(words: readonly string[], at: number): number | undefined {
  const text = words[at];
  return text !== undefined && /^\d{1,4}$/.test(text) ? Number(text) : undefined;
}
