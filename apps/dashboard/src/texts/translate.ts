import { type Catalogue, en, type TextKey } from './en.ts';

export type Language = 'en' | 'de' | 'ja';

/** English is a part of the first script; the others are loaded by those who read them. */
const loaders: Readonly<Record<Language, () => Promise<Catalogue>>> = {
  en: async () => en,
  de: async () => (await import('./de.ts')).de,
  ja: async () => (await import('./ja.ts')).ja,
};
const loaded = new Map<Language, Catalogue>();

/** Loads a catalogue, so that `textsIn` has its texts. */
export async function loadLanguage(language: Language): Promise<Catalogue> {
  const catalogue = await loaders[language]();
  loaded.set(language, catalogue);
  return catalogue;
}

/** Each language by its own name */
export const languageNames: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  ja: '日本語',
};

type Values = Readonly<Record<string, string | number>>;
/** Keys that have a text for one and for several, without their ending */
export type CountedKey = TextKey extends infer Key
  ? Key extends `${infer Stem}.other`
    ? Stem
    : never
  : never;

/** Texts and formats of one language. */
export interface Texts {
  language: Language;
  t(key: TextKey, values?: Values): string;
  /** The text for this count; `{count}` is the formatted number */
  counted(key: CountedKey, count: number): string;
  number(value: number): string;
  /** With three significant digits */
  amount(value: number): string;
  percent(share: number): string;
  bytes(size: number): string;
  date(time: string | number): string;
  dateTime(time: string | number): string;
  /** `3 minutes ago`; a date when it is longer ago than a week */
  ago(time: string, now?: number): string;
}

const steps = [
  ['minute', 60],
  ['hour', 3_600],
  ['day', 86_400],
] as const;
const weekSeconds = 7 * 86_400;

/**
 * English until the language is loaded.
 * @param locale for numbers and dates, e.g. `en-GB`
 */
export function textsIn(language: Language, locale: string = language): Texts {
  const catalogue = loaded.get(language) ?? en;
  const plural = new Intl.PluralRules(language);
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  const number = new Intl.NumberFormat(locale);
  const amount = new Intl.NumberFormat(locale, { maximumSignificantDigits: 3 });
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
  const minute = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const t = (key: TextKey, values: Values = {}): string =>
    catalogue[key].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
  return {
    language,
    t,
    counted: (key, count) =>
      t(`${key}.${plural.select(count) === 'one' ? 'one' : 'other'}`, { count: number.format(count) }),
    number: (value) => number.format(value),
    amount: (value) => amount.format(value),
    percent: (share) => percent.format(share),
    bytes: (size) => bytesIn(locale, size),
    date: (time) => day.format(new Date(time)),
    dateTime: (time) => minute.format(new Date(time)),
    ago(time, now = Date.now()) {
      const seconds = Math.max(0, (now - Date.parse(time)) / 1000);
      if (seconds > weekSeconds) return day.format(new Date(time));
      const [unit, size] = steps.findLast(([, each]) => seconds >= each) ?? ['second', 1];
      return unit === 'second'
        ? relative.format(0, 'second')
        : relative.format(-Math.floor(seconds / size), unit);
    },
  };
}

function bytesIn(locale: string, size: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;
  const power = Math.min(units.length - 1, size > 0 ? Math.floor(Math.log10(size) / 3) : 0);
  const options = {
    style: 'unit',
    unit: units[power]!,
    unitDisplay: power === 0 ? 'long' : 'short',
  } as const;
  return new Intl.NumberFormat(locale, { ...options, maximumFractionDigits: power === 0 ? 0 : 1 }).format(
    size / 1000 ** power,
  );
}
