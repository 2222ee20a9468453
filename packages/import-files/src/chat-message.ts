/** One entry of a chat export, whatever its keys are called. */
export interface ChatMessage {
  /** The entry's id, if it has one */
  id?: string;
  speaker?: string;
  /** When it was said, as written in the file */
  date?: string;
  text: string;
}

const idKeys = ['id', 'dia_id', 'message_id', 'uuid'];
const textKeys = ['text', 'content', 'message', 'body'];
const speakerKeys = ['speaker', 'role', 'author', 'name', 'from', 'sender', 'user', 'username'];
const dateKeys = [
  'date',
  'timestamp',
  'time',
  'date_time',
  'datetime',
  'created_at',
  'create_time',
  'sent_at',
  'ts',
];
/** Caption of an attached picture, written by a model or a person. */
const captionKeys = ['blip_caption', 'caption', 'image_caption'];

export type JsonObject = Record<string, unknown>;

/** The entry as a message, or undefined if it is not one. `needSpeaker`: text alone is not enough. */
export function asMessage(entry: JsonObject, needSpeaker: boolean): ChatMessage | undefined {
  const text = first(entry, textKeys, textOf);
  const speaker = first(entry, speakerKeys, nameOf);
  if (text === undefined || (needSpeaker && speaker === undefined)) return undefined;
  const id = first(entry, idKeys, scalar);
  const date = dateOf(entry);
  const caption = first(entry, captionKeys, scalar);
  return {
    ...(id ? { id } : {}),
    ...(speaker ? { speaker } : {}),
    ...(date ? { date } : {}),
    text: caption ? `${text} [picture: ${caption}]` : text,
  };
}

/** The date an object carries under one of the usual keys. */
export function dateOf(entry: JsonObject): string | undefined {
  return first(entry, dateKeys, (value) => {
    if (typeof value === 'string' && value.trim() !== '') return unixTime(Number(value)) ?? value.trim();
    return typeof value === 'number' ? unixTime(value) : undefined;
  });
}

/** Seconds or milliseconds since 1970 as `2026-03-02 14:05`; undefined for numbers out of that range. */
function unixTime(value: number): string | undefined {
  const ms = value > 1e11 ? value : value * 1000;
  // 1990 to 2100: smaller numbers are counters, larger ones something else.
  if (!(ms > 631e9 && ms < 4102e9)) return undefined;
  return new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
}

function first(
  entry: JsonObject,
  keys: readonly string[],
  read: (value: unknown) => string | undefined,
): string | undefined {
  for (const key of keys) {
    const value = entry[key] === undefined ? undefined : read(entry[key]);
    if (value !== undefined) return value;
  }
  return undefined;
}

export function scalar(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** A speaker is a text, or an object that has a name or role. */
function nameOf(value: unknown): string | undefined {
  if (isObject(value)) return first(value, ['name', 'role', 'username'], scalar);
  return scalar(value);
}

/** Content is a text, or a list of parts of which some are texts, as in model APIs. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim();
  const parts = isObject(value) ? value.parts : value;
  if (!Array.isArray(parts)) return undefined;
  const texts = parts
    .map((part) => (isObject(part) ? part.text : part))
    .filter((part) => typeof part === 'string');
  return texts.length === 0 ? undefined : texts.join('').trim() || undefined;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
