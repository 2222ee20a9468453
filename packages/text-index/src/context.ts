import { namedDates } from './question-dates.ts';

/**
 * The context fields of a memory (session, speaker, date, tags) as the values that an index compares, and what a
 * question names of them.
 */

export type ContextLabel = 'session' | 'speaker' | 'day' | 'month';

/** Values of one memory: equal values are equal strings. A field that it does not have is absent. */
export type ContextValues = Partial<Record<ContextLabel, string>>;

/** `happenedAt`: RFC 3339; its day and month are those of the calendar of its own offset. */
export function contextValuesOf(fields: {
  session?: string | undefined;
  speaker?: string | undefined;
  happenedAt?: string | undefined;
}): ContextValues {
  const { session, speaker, happenedAt } = fields;
  return {
    ...(session === undefined ? {} : { session }),
    ...(speaker === undefined ? {} : { speaker: spokenName(speaker) }),
    ...(happenedAt === undefined ? {} : { day: happenedAt.slice(0, 10), month: happenedAt.slice(0, 7) }),
  };
}

/** A tag as it is compared with others. */
export function tagValue(tag: string): string {
  return tag.normalize('NFC');
}

/** A name as it is compared with the words of a question. */
export function spokenName(name: string): string {
  return name.normalize('NFKC').toLowerCase().trim().split(/\s+/u).join(' ');
}

/** What a question may name: values that memories may have. */
export interface NamedContext {
  speakers: ReadonlySet<string>;
  /** `YYYY-MM-DD` */
  days: ReadonlySet<string>;
  /** `YYYY-MM` */
  months: ReadonlySet<string>;
}

export function namedContext(question: string, nowMs: number): NamedContext {
  return { speakers: namesIn(question), ...namedDates(question, nowMs) };
}

/** Enough for a question; a pasted text is not one. */
const readWords = 64;
/** A speaker's name has at most this many words. */
const nameWords = 4;

/** The words of a question, and up to four in a row, as a speaker's name could be. */
function namesIn(question: string): Set<string> {
  const words = [...question.matchAll(/[\p{L}\p{N}][\p{L}\p{N}\p{M}'’._-]*/gu)]
    .slice(0, readWords)
    .map(([text]) => spokenName(text.replace(/(?:['’]s?|[._-])$/u, '')));
  const names = new Set<string>();
  for (const i of words.keys())
    for (let length = 1; length <= nameWords && i + length <= words.length; length++)
      names.add(words.slice(i, i + length).join(' '));
  return names;
}
