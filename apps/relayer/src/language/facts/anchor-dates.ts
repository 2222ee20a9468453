/** Dates in the speaker's time zone: the day of `occurred_at` in its own offset, not in UTC. */

const day = 86_400_000;
const numbers = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const months = 'January February March April May June July August September October November December'.split(
  ' ',
);
const count = `\\d{1,3}|an?|${numbers.join('|')}`;

const iso = (time: number): string => new Date(time).toISOString().slice(0, 10);
const month = (time: number): string => {
  const date = new Date(time);
  return `${months[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
};
function monthsLater(time: number, by: number): string {
  const date = new Date(time);
  return month(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + by, 1));
}
const year = (time: number, by: number): string => String(new Date(time).getUTCFullYear() + by);

function numberOf(word: string): number {
  if (/^an?$/.test(word)) return 1;
  const index = numbers.indexOf(word);
  return index >= 0 ? index + 1 : Number(word);
}

/** The meaning of relative times on the day `today` (ms, midnight UTC); matches lower-case text. */
const rules: readonly [RegExp, (today: number, ...words: string[]) => string][] = [
  [/^the day before yesterday$/, (today) => iso(today - 2 * day)],
  [/^the day after tomorrow$/, (today) => iso(today + 2 * day)],
  [/^(?:yesterday|last night)/, (today) => iso(today - day)],
  [/^(?:today|tonight|this (?:morning|afternoon|evening))$/, (today) => iso(today)],
  [/^tomorrow/, (today) => iso(today + day)],
  [
    /^last (\w+day)$/,
    (today, name) => {
      const back = (new Date(today).getUTCDay() - weekdays.indexOf(name!) + 7) % 7 || 7;
      return iso(today - back * day);
    },
  ],
  [/^last week(?:end)?$/, (today) => `in the week before ${iso(today)}`],
  [/^next week(?:end)?$/, (today) => `in the week after ${iso(today)}`],
  [/^this week(?:end)?$/, (today) => `in the week of ${iso(today)}`],
  [/^last month$/, (today) => monthsLater(today, -1)],
  [/^this month$/, (today) => monthsLater(today, 0)],
  [/^next month$/, (today) => monthsLater(today, 1)],
  [/^last year$/, (today) => year(today, -1)],
  [/^this year$/, (today) => year(today, 0)],
  [/^next year$/, (today) => year(today, 1)],
  [/^(\S+) days? ago$/, (today, n) => iso(today - numberOf(n!) * day)],
  [/^(\S+) weeks? ago$/, (today, n) => `about ${iso(today - numberOf(n!) * 7 * day)}`],
  [/^(\S+) months? ago$/, (today, n) => `about ${monthsLater(today, -numberOf(n!))}`],
  [/^(\S+) years? ago$/, (today, n) => `about ${year(today, -numberOf(n!))}`],
];

/** Does not match if a date in brackets already follows, or 's ("today's world"). */
const relative = new RegExp(
  `\\b(?:the day (?:before yesterday|after tomorrow)|(?:yesterday|tomorrow)(?: (?:morning|afternoon|evening|night))?|` +
    `today|tonight|this (?:morning|afternoon|evening)|last night|last (?:${weekdays.join('|')})|` +
    `(?:last|this|next) (?:week(?:end)?|month|year)|(?:${count}) (?:day|week|month|year)s? ago)\\b(?!['’]s|\\s*\\()`,
  'gi',
);

/**
 * Adds the date after English relative times: "yesterday" becomes "yesterday (2023-05-07)". With a model this handles
 * the relative times that the model left; without a model, all of them. Unchanged without `occurredAt` (RFC 3339).
 */
export function anchorDates(text: string, occurredAt: string | undefined): string {
  if (occurredAt === undefined) return text;
  const today = Date.parse(`${occurredAt.slice(0, 10)}T00:00:00Z`);
  return text.replace(relative, (words) => {
    const lower = words.toLowerCase();
    for (const [rule, dateOf] of rules) {
      const match = rule.exec(lower);
      if (match) return `${words} (${dateOf(today, ...match.slice(1))})`;
    }
    return words;
  });
}
