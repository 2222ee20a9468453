import { asMessage, type ChatMessage, dateOf, isObject, type JsonObject } from './chat-message.ts';

/**
 * Every message in a JSON value, in the order of the file, at any depth. A message without a date gets the date of what
 * contains it: `session_3_date_time` next to `session_3`, or a date in the enclosing object. Entries with a text but no
 * speaker count only in a file where no entry has a speaker.
 */
export function chatMessages(value: unknown): ChatMessage[] {
  const spoken = collect(value, undefined, true);
  return spoken.length > 0 ? spoken : collect(value, undefined, false);
}

function collect(value: unknown, date: string | undefined, needSpeaker: boolean): ChatMessage[] {
  if (Array.isArray(value)) return value.flatMap((item) => collect(item, date, needSpeaker));
  if (typeof value === 'string') return [];
  if (!isObject(value)) return [];
  const message = asMessage(value, needSpeaker);
  if (message) return [date === undefined ? message : { date, ...message }];
  const own = dateOf(value) ?? date;
  return Object.entries(value).flatMap(([key, item]) =>
    collect(item, dateBeside(value, key) ?? own, needSpeaker),
  );
}

function dateBeside(object: JsonObject, key: string): string | undefined {
  for (const suffix of ['_date_time', '_date', '_datetime', '_timestamp']) {
    const date = object[`${key}${suffix}`];
    if (typeof date === 'string' && date.trim() !== '') return date.trim();
  }
  return undefined;
}

/** The text to remember: who said it, and when in front of that, because a recall returns nothing but the text. */
export function memoryText(message: ChatMessage): string {
  const said = message.speaker === undefined ? message.text : `${message.speaker}: ${message.text}`;
  return message.date === undefined ? said : `[${message.date}] ${said}`;
}
